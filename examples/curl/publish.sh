#!/bin/sh
# Publishes a folder to a Berth server and prints its link. Needs curl and md5sum.
#
#   BERTH_SERVER=http://localhost:4000 BERTH_KEY=ship-… ./publish.sh ./dist
#
# Without BERTH_KEY, the site is public for three days, and the response contains the claim link with which an account can keep it.
set -eu

folder=${1:?give the folder to publish}
server=${BERTH_SERVER:-http://localhost:4000}
cd "$folder"

# Treat file names as bytes, whatever their encoding.
LC_ALL=C
export LC_ALL

files() {
  find . -type f ! -name '.env*' ! -path '*/.git/*' "$@"
}

# These characters have a meaning in the curl configuration below. Berth refuses such names too.
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

# curl reads the form from its configuration, and the checksums from descriptor 3. So neither the file names nor the key appear
# on a command line, and no line of the configuration grows with the number of files.
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
