#!/bin/sh
# Converts the sample trace pair: installs packages if some are missing, builds the tool into
# build/, writes build/demo/step.0.et, prints the summary, and what CPU time it took but for packages.
set -eu
cd "$(dirname "$0")/.."
. converters/cpu_time.sh

sh converters/install_packages.sh tool
take_cpu_time
echo "Building the tool into build/ (6 to 12 CPU minutes, the first time)"
if [ -f build/CMakeCache.txt ]; then
  cmake -S . -B build >/dev/null
else
  cmake -S . -B build -G Ninja -DNADI_BUILD_TESTS=OFF >/dev/null
fi
sh converters/build.sh build -j "$(nproc)" --target nadi_installed

traces=tests/data/ddp-2rank
mkdir -p build/demo
convert() {
  build/converters/nadi convert --host "$traces/host.$1.json.gz" \
    --device "$traces/device.$1.json.gz" --output build/demo/step
}
echo "\$ build/converters/nadi convert --host $traces/host.0.json.gz \\"
echo "    --device $traces/device.0.json.gz --output build/demo/step"
convert 0
cat <<'END'

Next:
  build/converters/nadi show --summary build/demo/step.0.et
  build/converters/nadi check build/demo/step.0.et
  build/converters/nadi doctor --host YOUR_HOST_TRACE --device YOUR_DEVICE_TRACE
  build/converters/nadi convert --help
  cmake --install build --prefix /usr/local
END
say_cpu_time
