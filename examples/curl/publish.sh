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

# One line for each file: its MD5, two characters, its path. Names with a line break are not supported.
sums=$(find . -type f ! -name '.env*' ! -path '*/.git/*' -exec md5sum {} +)

# curl reads the form as its configuration, so neither the files nor the key are on a command line.
answer=$(
  {
    printf '%s\n' "$sums" | sed 's/^.\{34\}\(.*\)/form = "files[]=@\\"\1\\";filename=\\"\1\\""/'
    printf '%s\n' "$sums" | cut -c 1-32 | paste -s -d , - | sed 's/[^,]*/\\"&\\"/g; s/.*/form = "checksums=[&]"/'
    [ -z "${BERTH_KEY-}" ] || printf 'header = "Authorization: Bearer %s"\n' "$BERTH_KEY"
  } | curl --silent --show-error --fail-with-body --config - --form via=curl "${server%/}/deployments"
) || {
  printf '%s\n' "$answer" >&2
  exit 1
}

printf '%s\n' "$answer" | sed 's/.*"url":"\([^"]*\)".*/\1/'
