#!/bin/sh
# Runs a command of Writ as the services run: as user writ, with the settings of /etc/writ/env. Install it as
# /usr/local/bin/writ, and as root: `writ check`, `writ migrate`, `writ host games`. File names count from /var/lib/writ.
set -eu

# Not the shell's `.`: values may have spaces, as systemd reads them.
while IFS= read -r line; do
    case $line in [A-Z]*=*) export "$line" ;; esac
done < "${WRIT_ENV:-/etc/writ/env}"
unset WRIT_ENV
export WRIT_DATA_FOLDER="${WRIT_DATA_FOLDER:-/var/lib/writ}"
cd "$WRIT_DATA_FOLDER"
exec runuser -u writ -- /opt/writ/bin/writ "$@"
