"""Tells what the waits in a trace were for, from the log that log_calls.cc wrote; where the host waited the
waiting stream is -1.

    waits_of_calls.py DEVICE.json.gz CALLS.txt > NAME.waits.csv
"""
import bisect
import collections
import gzip
import json
import sys

WHAT = {"cudaEventRecord": "record", "cudaEventRecordWithFlags": "record", "cudaStreamWaitEvent": "wait",
        "cudaEventSynchronize": "event_sync", "cudaStreamSynchronize": "stream_sync", "cudaMemcpyAsync": "copy", "cudaMemsetAsync": "set"}
SLACK_NS = 4000  # the profiler's stamps are inside the log's, but for this


def calls_by_correlation(rows, base_ns, lines):
    """The logged call around each row of the trace; NCCL's own calls have none."""
    logged = collections.defaultdict(list)
    for line in lines:
        what, begin, end, stream, event = line.split()[:5]
        logged[what].append((int(begin), int(end), stream, event))
    for calls in logged.values():
        calls.sort()
    found = {}
    for row in rows:
        calls = logged[WHAT[row["name"]]]
        begin = round(base_ns + row["ts"] * 1000)
        end = begin + round(row["dur"] * 1000)
        after = bisect.bisect_right(calls, (begin + SLACK_NS,))
        around = [call for call in calls[max(0, after - 6):after + 2]
                  if call[0] - SLACK_NS <= begin and end <= call[1] + SLACK_NS]
        if around:
            found[row["args"]["correlation"]] = min(around, key=lambda call: abs(call[0] - begin))
    return found


def main():
    trace = json.load(gzip.open(sys.argv[1]))
    events = [event for event in trace["traceEvents"] if event.get("ph") == "X"]
    rows = sorted((event for event in events if event["name"] in WHAT and event["cat"] == "cuda_runtime"),
                  key=lambda row: row["ts"])
    calls = calls_by_correlation(rows, trace["baseTimeNanoseconds"], open(sys.argv[2]))
    votes = collections.Counter()  # of pointers for the numbers of streams
    for event in events:
        call = calls.get(event.get("args", {}).get("correlation"))
        if call and event["cat"] in ("gpu_memcpy", "gpu_memset", "cuda_sync") and event["args"]["stream"] >= 0:
            votes[call[2], event["args"]["stream"]] += 1
    streams = {}
    for (pointer, number), _ in votes.most_common():
        streams.setdefault(pointer, number)
    print("wait,waiting_stream,record,recorded_stream")
    recorded = {}
    for row in rows:
        correlation = row["args"]["correlation"]
        if correlation not in calls:
            continue
        _, _, stream, event = calls[correlation]
        if WHAT[row["name"]] == "record":
            recorded[event] = (correlation, streams.get(stream))
        elif event in recorded and recorded[event][1] is not None:
            waiting = streams.get(stream) if WHAT[row["name"]] == "wait" else -1
            if waiting is not None:
                print(correlation, waiting, *recorded[event], sep=",")


if __name__ == "__main__":
    main()
