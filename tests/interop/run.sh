#!/bin/sh
# usage: run.sh SCRIPT ARGUMENTS…: runs it with the Node that npm brought, if it is there.
here=$(cd "$(dirname "$0")" && pwd)
node=$here/node_modules/.bin/node
script=$1
shift
if [ ! -x "$node" ]; then
    echo "1..0 # SKIP tests/interop/node_modules is missing: tools/setup test installs it"
    exit 0
fi
exec "$node" "$here/$script" "$@"
