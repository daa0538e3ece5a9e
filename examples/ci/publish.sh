#!/bin/sh
# The publishing step of a CI job: publishes the folder that the build wrote, prints its link, and hands it to later steps.
#
#   BERTH_SERVER   the address of the server
#   BERTH_KEY      a deploy token: berth tokens create --label ci-job --ttl 90d
#   BERTH          the command line; default: berth, as it is installed
#   BERTH_DOMAIN   the domain that shows it; it needs an API key in place of the deploy token
#
# Code 5 says that the server cannot be reached or is busy: the job may be repeated.
set -eu

folder=${1:?give the folder to publish}
set -- "$folder" --quiet
[ -z "${GITHUB_SHA-}" ] || set -- "$@" --label "$(printf %s "$GITHUB_SHA" | cut -c 1-12)"
[ -z "${BERTH_DOMAIN-}" ] || set -- "$@" --domain "$BERTH_DOMAIN"

# BERTH may be several words, such as a runtime and a program.
url=$(${BERTH:-berth} "$@")

[ -z "${GITHUB_OUTPUT-}" ] || printf 'url=%s\n' "$url" >>"$GITHUB_OUTPUT"
[ -z "${GITHUB_STEP_SUMMARY-}" ] || printf 'Published at <%s>\n' "$url" >>"$GITHUB_STEP_SUMMARY"
printf '%s\n' "$url"
