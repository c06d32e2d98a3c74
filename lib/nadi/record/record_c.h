/* The recorder for C, and for languages that call C: the same functions as record.h, which says
 * more about each. Texts end with a 0; NULL is the empty text. Nothing is kept beyond a call. */
#ifndef NADI_RECORD_RECORD_C_H_
#define NADI_RECORD_RECORD_C_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 1 while a recording runs; read it with nadi_is_recording(). */
extern unsigned char nadi_record_flag;

/* One relaxed load: ask before preparing inputs where nothing may be recorded. */
static inline int nadi_is_recording(void) {
  return __atomic_load_n(&nadi_record_flag, __ATOMIC_RELAXED) != 0;
}

typedef struct {
  const char* host_file;
  const char* device_file;
  int64_t rank; /* -1 = the job has one process */
  int64_t world_size;
  const char* backend;             /* NULL = "nccl" */
  const char* const* device_names; /* of devices 0, 1, ... */
  size_t device_count;
  int64_t (*clock)(void); /* ns; NULL = the machine's monotonic clock */
  int64_t flush_ns;       /* how often both files are brought up to date */
  uint64_t most_buffered_bytes;
} nadi_record_settings;

/* The defaults: rank -1, the machine's clock, 100 ms, 256 MiB. */
nadi_record_settings nadi_record_defaults(void);

typedef struct {
  uint64_t ops, calls, device_rows, threads, open_ops, lost_ends, left_out, stalls;
  uint64_t host_bytes, device_bytes;
} nadi_record_summary;

/* 0, or -1: nadi_record_error() says why. summary may be NULL. */
int nadi_record_start(const nadi_record_settings* settings);
int nadi_record_stop(nadi_record_summary* summary);
/* Of the calling thread's last start or stop: where, what, and what to do. Never NULL. */
const char* nadi_record_error(void);

int64_t nadi_record_now(void); /* ns: the clock of device rows */
void nadi_record_name_thread(const char* name);

typedef struct {
  uint64_t id, storage;
  int64_t offset;
  int64_t elements; /* -1 = the product of the shape */
  int64_t element_bytes;
  const char* device; /* NULL = "cpu" */
  const char* type;   /* NULL = "float" */
  const int64_t* shape;
  const int64_t* strides; /* NULL = contiguous */
  size_t dimensions;
} nadi_tensor;

typedef enum {
  NADI_NONE,
  NADI_TENSOR,
  NADI_TENSORS,
  NADI_INTEGER,
  NADI_INTEGERS,
  NADI_REAL,
  NADI_REALS,
  NADI_BOOL,
  NADI_TEXT
} nadi_value_kind;

typedef struct {
  nadi_value_kind kind;
  size_t count; /* entries of a list */
  union {
    const nadi_tensor* tensors; /* NADI_TENSOR: one; NADI_TENSORS: count */
    int64_t integer;            /* also NADI_BOOL */
    const int64_t* integers;
    double real;
    const double* reals;
    const char* text;
  } as;
} nadi_value;

/* Ops of a thread end in the reverse order of their beginning, on the same thread. Each begin gives
 * an id, 0 = nothing is recorded; every function takes 0 and then does nothing. */
uint64_t nadi_op_begin(const char* name, const nadi_value* inputs, size_t count);
uint64_t nadi_annotation_begin(const char* name);
uint64_t nadi_step_begin(int64_t number);
void nadi_op_outputs(uint64_t op, const nadi_value* outputs, size_t count);
void nadi_op_attribute(uint64_t op, const char* name, nadi_value value);
void nadi_op_end(uint64_t op);

typedef struct {
  uint64_t op;
  int64_t sequence;
  uint64_t tid;
} nadi_forward_link;
/* sequence: -1 = the next one. */
nadi_forward_link nadi_op_forward(uint64_t op, int64_t sequence);
void nadi_op_backward_of(uint64_t op, nadi_forward_link forward);

/* ranks: global, NULL = all. */
void nadi_process_group_add(const char* name, const char* description, const int64_t* ranks,
                            size_t count);

void nadi_process_group_remove(const char* name);

typedef struct {
  const char* collective; /* "allreduce", "send", ... */
  const char* group;
  const char* dtype; /* "Float", "BFloat16", ... */
  int64_t in_elements, out_elements;
  int64_t peer;     /* send, recv: rank within the group; else -1 */
  int64_t sequence; /* -1 = the next one */
  const int64_t* in_split;
  const int64_t* out_split;
  size_t in_splits, out_splits;
} nadi_communication;
/* An op: end it with nadi_op_end. */
uint64_t nadi_communication_begin(const nadi_communication* communication, const nadi_value* inputs,
                                  size_t count);

typedef enum {
  NADI_CALL,
  NADI_LAUNCH,
  NADI_SYNC_STREAM,
  NADI_SYNC_DEVICE,
  NADI_SYNC_EVENT,
  NADI_EVENT_RECORD,
  NADI_STREAM_WAIT
} nadi_call_kind;
/* Gives the correlation. What does not apply to the kind is -1. */
uint64_t nadi_call_begin(nadi_call_kind kind, const char* name, int64_t device, int64_t stream,
                         int64_t event);
void nadi_call_end(uint64_t correlation);

typedef enum { NADI_KERNEL, NADI_COPY, NADI_SET } nadi_device_row_kind;
typedef struct {
  nadi_device_row_kind kind;
  const char* name;
  int64_t device, stream;
  uint64_t correlation;
  int64_t start_ns, duration_ns;           /* in the clock of nadi_record_now() */
  int64_t bytes;                           /* -1 = not given */
  const nadi_communication* communication; /* NULL = none */
} nadi_device_row;
void nadi_device_row_add(const nadi_device_row* row);

#ifdef __cplusplus
}
#endif

#endif
