# comms.sh FIRSTFAULT ROOT: communicators joined over ranks, what is missing, rings and trees that agree or do not.
tool=$1
bundles=$2/fixtures/bundles
failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# tells CODE BUNDLE: keeps what comms prints
tells()
{
    "$tool" comms --no-cache "$2" >"$tmp/out" 2>&1
    got=$?
    if [ $got -ne "$1" ]; then
        echo "comms $2: exit $got, wanted $1"
        cat "$tmp/out"
        failed=1
    fi
}

has()
{
    if ! grep -qE -e "$1" "$tmp/out"; then
        echo "no \"$1\" in:"
        cat "$tmp/out"
        failed=1
    fi
}

has_not()
{
    if grep -qE -e "$1" "$tmp/out"; then
        echo "\"$1\" must not stand in:"
        cat "$tmp/out"
        failed=1
    fi
}

tells 0 "$bundles/real-healthy/bundle"
has '^Communicator 0xcecbabbebb23c58f: 2 ranks, 2 began, 2 complete$'
has '^    0 +gpu-node-07 +722 +0 +60 +2\.28\.9\+cuda13\.0 +eth0 +Socket .* complete.*nccl\.gpu-node-07\.722\.log:17$'
has '^    1 +gpu-node-07 +723 '
has 'Ring of 24 channels: 0 1  nccl\.gpu-node-07\.722\.log:'
has 'Neighbours that ranks name in rings: 2 agree, 0 do not'
has 'Trees: lines of 2 of 2 ranks, 0 '
has 'Transport P2P/'
has_not 'no log of ranks|NOT EACH|never complete'

tells 0 "$bundles/nccl-init-memcg-oom/bundle"
has '^Communicator 0x91f0c11d5bb2a7e3: 8 ranks, '
has 'began, never complete'
has 'No rings, trees or transports in the logs'

# A rank without a log, a ring that leaves one out, a tree whose child names another parent, and one address used twice.
mkdir "$tmp/b"
{
    say='n1:10:10 [0] NCCL INFO'
    echo "$say Bootstrap: Using eth0:10.0.0.1<0>"
    echo "$say Using network IB"
    echo "$say ncclCommInitRank comm 0xaa rank 0 nranks 4 cudaDev 0 nvmlDev 0 busId 60 commId 0xfeed - Init START"
    echo "$say Channel 00/02 :    0   1   2   2"
    echo "$say Channel 01/02 :    0   1   2   3"
    echo "$say Ring 00 : 3 -> 0 -> 2"
    echo "$say Ring 01 : 3 -> 0 -> 1"
    echo "$say Trees [0] 1/-1/-1->0->-1 [1] 2/-1/-1->0->-1"
    echo "$say Channel 00/0 : 3[0] -> 0[0] [receive] via NET/IB/0/GDRDMA"
    echo "$say ncclCommInitRank comm 0xaa rank 0 nranks 4 cudaDev 0 nvmlDev 0 busId 60 commId 0xfeed - Init COMPLETE"
    echo "$say comm 0xaa rank 0 nranks 4 cudaDev 0 busId 60 - Destroy COMPLETE"
    echo "$say ncclCommInitRank comm 0xaa rank 0 nranks 1 cudaDev 0 nvmlDev 0 busId 60 commId 0xbeef - Init START"
    echo "$say Channel 00/0 : 3[0] -> 0[0] [receive] via NET/IB/0/GDRDMA"
    echo "$say comm 0xaa rank 0 nranks 1 cudaDev 0 busId 60 - Abort START"
} >"$tmp/b/rank0.log"
{
    say='n1:11:11 [1] NCCL INFO'
    echo "$say ncclCommInitRank comm 0xab rank 1 nranks 4 cudaDev 1 nvmlDev 1 busId 70 commId 0xfeed - Init START"
    echo "$say Trees [0] -1/-1/-1->1->0 [1] -1/-1/-1->1->2"
    echo "$say Ring 01 : 0 -> 1 -> 2"
} >"$tmp/b/rank1.log"
{
    say='n2:12:12 [0] NCCL INFO'
    echo "$say ncclCommInitRank comm 0xac rank 2 nranks 4 cudaDev 0 nvmlDev 0 busId 60 commId 0xfeed - Init START"
    echo "$say Trees [0] -1/-1/-1->2->1 [1] -1/-1/-1->2->0"
} >"$tmp/b/rank2.log"
tells 0 "$tmp/b"
has '^Communicator 0xfeed: 4 ranks, 3 began, 1 complete; no log of ranks 3$'
has '^    0 +n1 +10 .* eth0 +IB .*complete.*; destroyed  .*rank0\.log:3$'
has '^    1 +n1 +11 .*began, never complete  .*rank1\.log:1$'
has 'Ring of 1 channels: 0   1   2   2  NOT EACH RANK ONCE  .*rank0\.log:4$'
has 'No ring of rank 0 has the neighbours that rank 0 names  .*rank0\.log:6$'
has 'rings: 2 agree, 1 do not'
has 'Tree of channel 1: rank 1 and its neighbours do not agree  .*rank1\.log:2$'
has '^Communicator 0xbeef: 1 ranks, 1 began, 0 complete$'
has 'began, never complete; abort began and did not end'
has 'cannot be told apart'
has 'Transport NET/IB/GDRDMA: 2 connections'

mkdir "$tmp/none"
echo 'epoch 1 step 2 loss 3.0' >"$tmp/none/train.log"
tells 1 "$tmp/none"
has 'no line of the bundle tells of a communicator'
exit $failed
