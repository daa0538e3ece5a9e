#!/bin/sh
# Publishes a folder to a Berth server and prints its link. Needs curl and md5sum.
#
#   BERTH_SERVER=http://localhost:4000 BERTH_KEY=ship-… ./publish.sh ./dist
#
# Without BERTH_KEY the site is public for three days; the answer then holds the link by which an account keeps it.
set -eu

folder=${1:?give the folder to publish}
server=${BERTH_SERVER:-http://localhost:4000}
cd "$folder"

# Names are bytes here, whatever their encoding.
LC_ALL=C
export LC_ALL

files() {
  find . -type f ! -name '.env*' ! -path '*/.git/*' "$@"
}

# These characters mean something in the configuration of curl below. Berth refuses such names too.
hostile=$(files -path '*[[:cntrl:]"\\]*' | head -n 1 | tr -d '[:cntrl:]')
if [ -n "$hostile" ]; then
  printf 'Rename %s: a name must not contain a quote, a backslash or a control character.\n' "$hostile" >&2
  exit 1
fi

# One line for each file: its MD5, two characters, its path.
sums=$(files -exec md5sum {} +)
if [ -z "$sums" ]; then
  printf 'There are no files to publish in %s.\n' "$folder" >&2
  exit 1
fi

# curl reads the form as its configuration and the checksums from descriptor 3: neither the files nor the key are on a
# command line, and no line of the configuration grows with their number.
answer=$(
  {
    printf '%s\n' "$sums" | sed 's/^.\{34\}\(.*\)/form = "files[]=@\\"\1\\";filename=\\"\1\\""/'
    [ -z "${BERTH_KEY-}" ] || printf 'header = "Authorization: Bearer %s"\n' "$BERTH_KEY"
  } | curl --silent --show-error --fail-with-body --config - --form 'checksums=</dev/fd/3' --form via=curl \
    "${server%/}/deployments" 3<<EOF
$(printf '%s\n' "$sums" | cut -c 1-32 | paste -s -d , - | sed 's/[^,]*/"&"/g; s/.*/[&]/')
EOF
) || {
  printf '%s\n' "$answer" >&2
  exit 1
}

printf '%s\n' "$answer" | sed 's/.*"url":"\([^"]*\)".*/\1/'
