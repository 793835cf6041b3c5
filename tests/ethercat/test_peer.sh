#!/bin/sh
# SPDX-License-Identifier: MIT
# The program beside an independent line of emulated devices, found by IFD_EC_PEER; peer.py describes what that program must do, watches the
# bus and judges. Skipped without it, and where network namespaces are not permitted. Sees IFD_PROGRAM, IFD_SOURCE_DIR, IFD_BUILD_DIR.
set -u
[ -n "${IFD_EC_PEER-}" ] || { echo 'skipped: IFD_EC_PEER names no program with an independent line of devices'; exit 0; }
veth="$IFD_BUILD_DIR/tests/ethercat.veth"
if [ "${IFD_IN_NAMESPACE-}" = "" ]; then
    "$veth" true 2>reason.$$ || { echo "skipped: $(cat reason.$$)"; rm -f reason.$$; exit 0; }
    rm -f reason.$$
    IFD_IN_NAMESPACE=yes exec "$veth" sh "$0" "$@"
fi
PATH=$PATH:/sbin:/usr/sbin
ip link add pa type veth peer name pb && ip link set pa up && ip link set pb up || exit 1
. "$IFD_SOURCE_DIR/tests/app/program.sh"
/usr/bin/python3 "$IFD_SOURCE_DIR/tests/ethercat/peer.py" "$@" || fail 'see above'
verdict 'an independent line: words, states, SYNC0, absent objects and damaged answers'
