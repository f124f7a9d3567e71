# env.sh FIRSTFAULT ROOT: versions and variables by place, what differs, and what rules say of settings.
tool=$1
bundles=$2/fixtures/bundles
failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

tells()
{
    "$tool" env --no-cache "$2" >"$tmp/out" 2>&1
    got=$?
    if [ $got -ne "$1" ]; then
        echo "env $2: exit $got, wanted $1"
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
has '^    NCCL +2\.28\.9\+cuda13\.0 +gpu-node-07 rank 0'
has '^    NCCL_NVLS_ENABLE +0 +gpu-node-07 .*nccl\.gpu-node-07\.72[23]\.log:[0-9]+$'
has_not '^  !'

tells 0 "$bundles/nccl-init-memcg-oom/bundle"
has '^    NCCL +2\.21\.5\+cuda12\.4 '

# One value that must agree and does not, one that may differ, a name that nothing reads, and a rank without a log.
mkdir "$tmp/b"
for rank in 0 1; do
    {
        say="n$rank:1$rank:1$rank [0] NCCL INFO"
        echo "$say NCCL_ALGO set by environment to $([ $rank = 0 ] && echo Ring || echo Tree)"
        echo "$say NCCL_IB_HCA set to mlx5_$rank"
        echo "$say NCCL_COMM_TIMEOUT set by environment to 60"
        echo "$say ncclCommInitRank comm 0xa$rank rank $rank nranks 3 cudaDev 0 nvmlDev 0 busId 60 commId 0xfeed - Init START"
    } >"$tmp/b/rank$rank.log"
done
tells 0 "$tmp/b"
has '^  ! NCCL_ALGO +Ring +n0 rank 0  .*rank0\.log:1$'
has '^  ! NCCL_ALGO +Tree +n1 rank 1  .*rank1\.log:1$'
has '^  ! NCCL_IB_HCA +mlx5_0 '
has '^    NCCL_COMM_TIMEOUT +60 +n0 rank 0; n1 rank 1 '
has '^No setting is known of rank 2: '
has 'NCCL_ALGO differs between ranks'
has_not 'NCCL_IB_HCA differs between ranks'
has 'NCCL_COMM_TIMEOUT=60: nothing reads it'

# Of a plugin's setting that must agree, of one of PyTorch's that should, and of one line that holds both.
mkdir "$tmp/p"
for rank in 0 1; do
    {
        echo "n$rank:1$rank:1$rank [0] NCCL INFO ncclCommInitRank comm 0xa$rank rank $rank nranks 2 cudaDev 0 nvmlDev 0 busId 60 commId 0xfeed - Init START"
        echo "OFI_NCCL_PROTOCOL=$([ $rank = 0 ] && echo RDMA || echo SENDRECV)"
        echo "+ mpirun -np 2 -x FI_PROVIDER=efa -x TORCH_NCCL_BLOCKING_WAIT=$rank python train.py"
    } >"$tmp/p/rank$rank.log"
done
tells 0 "$tmp/p"
has '^    FI_PROVIDER +efa +n0 rank 0; n1 rank 1 '
has 'OFI_NCCL_PROTOCOL differs between ranks'
has 'note .*TORCH_NCCL_BLOCKING_WAIT differs between ranks'

mkdir "$tmp/none"
echo 'epoch 1 step 2 loss 3.0' >"$tmp/none/train.log"
tells 1 "$tmp/none"
has 'names no version and no variable'
exit $failed
