#!/bin/sh
# Makes the files that compose.yaml reads as secrets, in ./secrets. A file that is there is kept, so it can be run again.
#
#     deploy/make-secrets.sh                     # asks for the mail server
#     deploy/make-secrets.sh < smtp-url.txt
set -eu

folder=${1:-secrets}
# The folder shuts other users out. The files in it stay readable: Compose mounts them with their own permissions into
# containers whose users have other numbers.
mkdir -p "$folder"
chmod 0700 "$folder"
umask 022

random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
make() { [ -s "$folder/$1" ] || printf '%s\n' "$2" > "$folder/$1"; }

make secret_keys "$(random)"
make metrics_token "$(random)"
make postgres_password "$(random)"
make database_url "postgresql+psycopg://writ:$(cat "$folder/postgres_password")@postgres/writ"
if [ ! -s "$folder/smtp_url" ]; then
    if [ -t 0 ]; then echo "The mail server, such as smtp://user:password@mail.example.org:587" >&2; fi
    read -r address || [ -n "$address" ]
    make smtp_url "$address"
fi
echo "Keep a copy of $folder/secret_keys elsewhere: without it a backup can't be restored." >&2
