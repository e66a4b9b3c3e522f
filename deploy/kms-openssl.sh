#!/bin/sh
# A program for `kms` of signer.yaml: gets {"publicKey": …, "message": base64}, prints the signature of the message in base64.
# The key is where OpenSSL finds it: a file here, a PKCS#11 provider with -provider pkcs11 in earnest.
message=$(sed 's/.*"message":"\([^"]*\)".*/\1/')
folder=$(mktemp -d) && trap 'rm -r "$folder"' EXIT
printf '%s' "$message" | base64 -d > "$folder/message"
openssl pkeyutl -sign -inkey service.pem -rawin -in "$folder/message" | base64 -w 0
