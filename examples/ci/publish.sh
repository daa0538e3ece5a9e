#!/bin/sh
# The publishing step of a CI job: publishes the output folder of the build, prints its link, and passes it to later steps.
#
#   BERTH_SERVER   the address of the server
#   BERTH_KEY      a deploy token: berth tokens create --label ci-job --ttl 90d
#   BERTH          the command to run; default: the installed berth
#   BERTH_DOMAIN   the domain to point at the deployment; the token must be created with --domain for it
#
# Exit code 5 means that the server cannot be reached or is busy: run the job again later.
set -eu

folder=${1:?give the folder to publish}
set -- "$folder" --quiet
[ -z "${GITHUB_SHA-}" ] || set -- "$@" --label "$(printf %s "$GITHUB_SHA" | cut -c 1-12)"
[ -z "${BERTH_DOMAIN-}" ] || set -- "$@" --domain "$BERTH_DOMAIN"

# BERTH may consist of several words, such as a runtime and a program.
url=$(${BERTH:-berth} "$@")

[ -z "${GITHUB_OUTPUT-}" ] || printf 'url=%s\n' "$url" >>"$GITHUB_OUTPUT"
[ -z "${GITHUB_STEP_SUMMARY-}" ] || printf 'Published at <%s>\n' "$url" >>"$GITHUB_STEP_SUMMARY"
printf '%s\n' "$url"
