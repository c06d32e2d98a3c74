#!/usr/bin/env python3
"""Writes the traces of many ranks, made of one pair: rank and process differ, all else is the same.

usage: archive_ranks.py HOST DEVICE RANKS OUT.tar   a tar of all hosts, then all devices; "-" = stdout
       archive_ranks.py HOST DEVICE RANKS FOLDER    a folder
"""
import gzip
import io
import os
import re
import sys
import tarfile


def read(path):
    data = open(path, "rb").read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def of_world(text, ranks):
    """Every group of the whole recorded world is one of all ranks."""
    world = re.search(rb'"world_size" *: *(\d+)', text) or re.search(rb'pg_size\\?" *: *(\d+)', text)
    if world is None:
        return text
    recorded = rb", ?".join(b"%d" % rank for rank in range(int(world[1])))
    everybody = b", ".join(b"%d" % rank for rank in range(ranks))
    text = re.sub(rb"\[%s\]" % recorded, b"[%s]" % everybody, text)
    sizes = rb'((?:world_size|pg_size|Group size)\\?" *: *)%s\b' % world[1]
    return re.sub(sizes, rb"\g<1>%d" % ranks, text)


def of_rank(device, pid, rank):
    """The device trace as this rank would have recorded it."""
    text = re.sub(rb'("pid" *: *)%d\b' % pid, rb"\g<1>%d" % (100000 + rank), device)
    info = re.search(rb'"distributedInfo" *: *\{', text)
    if info is None:
        return re.sub(rb"\{", b'{"distributedInfo": {"rank": %d},' % rank, text, count=1)
    head, rest = text[: info.end()], text[info.end() :]
    return head + re.sub(rb'("rank" *: *)\d+', rb"\g<1>%d" % rank, rest, count=1)


def main():
    host_path, device_path, ranks, out = sys.argv[1:]
    host, device = (of_world(read(path), int(ranks)) for path in (host_path, device_path))
    pid = int(re.search(rb'"pid" *: *(\d+)', host)[1])

    def members():
        for rank in range(int(ranks)):
            yield f"host.{rank}.json", re.sub(
                rb'("pid" *: *)%d\b' % pid, rb"\g<1>%d" % (100000 + rank), host, count=1)
        for rank in range(int(ranks)):
            yield f"device.{rank}.json", of_rank(device, pid, rank)

    if out.endswith(".tar") or out == "-":
        stream = sys.stdout.buffer if out == "-" else open(out, "wb")
        with tarfile.open(fileobj=stream, mode="w|") as archive:
            for name, data in members():
                info = tarfile.TarInfo(name)
                info.size = len(data)
                info.mtime = 1700000000
                archive.addfile(info, io.BytesIO(data))
        return
    os.makedirs(out, exist_ok=True)
    for name, data in members():
        with gzip.open(os.path.join(out, name + ".gz"), "wb", compresslevel=1) as file:
            file.write(data)


main()
