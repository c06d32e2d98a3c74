# The packages the library needs; all are in Debian 12.
find_package(Protobuf 3.21 REQUIRED)
find_package(simdjson 3.0 REQUIRED)
find_package(LibArchive REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(SQLite3 3.34 REQUIRED)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)  # compiled in: nothing to link
