#!/usr/bin/env python3
"""Publishes a folder to a Berth server and prints its link. Needs only Python 3.9 or newer.

    BERTH_SERVER=http://localhost:4000 BERTH_KEY=ship-… python3 publish.py ./dist

Without BERTH_KEY the site is public for three days; the answer then holds the link by which an account keeps it.
"""

import hashlib
import json
import os
import re
import sys
import urllib.error
import urllib.request
import uuid
from pathlib import Path

CHUNK = 1024 * 1024
# These characters would end the header that names a file. Berth refuses such names too.
HOSTILE = re.compile(r'["\\\x00-\x1f\x7f-\x9f]')


def files_of(folder):
    """Return all files of the folder except secrets, in a stable order."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        is_private = ".git" in parts or path.name.startswith(".env")
        if path.is_file() and not path.is_symlink() and not is_private:
            yield path


def md5_of(path):
    digest = hashlib.md5()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def form_of(folder, files, boundary):
    """Yield the multipart body in pieces, so that no file is ever completely in memory."""

    def head(disposition):
        return f'--{boundary}\r\nContent-Disposition: form-data; {disposition}\r\n\r\n'.encode()

    for path in files:
        yield head(f'name="files[]"; filename="{path.relative_to(folder).as_posix()}"')
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                yield chunk
        yield b"\r\n"
    fields = {"checksums": json.dumps([md5_of(path) for path in files]), "via": "python"}
    for name, value in fields.items():
        yield head(f'name="{name}"') + value.encode() + b"\r\n"
    yield f"--{boundary}--\r\n".encode()


def publish(folder, files, server, key):
    """Publish the folder, and return the deployment from the response."""
    boundary = uuid.uuid4().hex
    headers = {
        "Content-Type": f"multipart/form-data; boundary={boundary}",
        # Makes a retry safe: the same key with the same files returns the first deployment.
        "Idempotency-Key": boundary,
    }
    if key:
        headers["Authorization"] = f"Bearer {key}"
    body = form_of(folder, files, boundary)
    request = urllib.request.Request(f"{server.rstrip('/')}/deployments", data=body, headers=headers, method="POST")
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: publish.py <folder>")
    server = os.environ.get("BERTH_SERVER", "http://localhost:4000")
    folder = Path(sys.argv[1])
    if not folder.is_dir():
        sys.exit(f"{folder} is not a folder.")
    files = list(files_of(folder))
    if not files:
        sys.exit(f"There are no files to publish in {folder}.")
    for path in files:
        if HOSTILE.search(str(path.relative_to(folder))):
            sys.exit(f"Rename {ascii(str(path))}: a name must not contain a quote, a backslash or a control character.")
    try:
        deployment = publish(folder, files, server, os.environ.get("BERTH_KEY"))
    except urllib.error.HTTPError as error:
        sys.exit(f"The server refused it: {json.load(error)['message']}")
    except OSError as error:
        sys.exit(f"It failed: {error}")
    print(deployment["url"])


if __name__ == "__main__":
    main()
