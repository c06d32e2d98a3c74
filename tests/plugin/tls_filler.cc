// Takes static TLS when it is loaded, as initial-exec variables of other shared objects do.
#if defined(__GNUC__)
__attribute__((tls_model("initial-exec")))
#endif
thread_local char filler[NADI_TLS_BYTES];

extern "C" char* nadi_tls_filler() { return filler; }
