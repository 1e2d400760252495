#!/usr/bin/env python3
"""The benchmark's API: server.py --port-file FILE DIRECTORY

GET /records?cursor=N sends DIRECTORY/page-N.json (N is 1 without a cursor)
with sendfile, so that it costs next to nothing; GET /slow?cursor=N does so
after 50 ms.
"""
import os
import re
import socket
import sys
import threading
import time

LATENCY = 0.05


def serve(connection, directory):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    data = b""
    with connection:
        while True:
            while b"\r\n\r\n" not in data:
                received = connection.recv(65536)
                if not received:
                    return
                data += received
            head, _, data = data.partition(b"\r\n\r\n")
            if head.startswith(b"GET /slow"):
                time.sleep(LATENCY)
            cursor = re.match(rb"GET /\w+\?cursor=(\d+)", head)
            send_page(connection, f"{directory}/page-{int(cursor[1]) if cursor else 1}.json")


def send_page(connection, path):
    with open(path, "rb") as page:
        size = os.fstat(page.fileno()).st_size
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % size)
        connection.sendfile(page)


def end_with_parent(parent):
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(0)


def main():
    _, port_file, directory = sys.argv[1:]
    threading.Thread(target=end_with_parent, args=(os.getppid(),), daemon=True).start()
    listener = socket.create_server(("127.0.0.1", 0))
    with open(port_file + ".new", "w") as file:
        file.write(f"{listener.getsockname()[1]}\n")
    os.replace(port_file + ".new", port_file)
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve, args=(connection, directory), daemon=True).start()


main()
