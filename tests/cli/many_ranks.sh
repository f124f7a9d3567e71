# many_ranks.sh FIRSTFAULT ROOT: a thousand ranks that raise something alike do not use up what a rule may spend.
tool=$1
failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# each_rank NAME TEXT: a log for each rank; @ in the text is its number
each_rank()
{
    mkdir "$tmp/$1"
    awk -v dir="$tmp/$1" -v text="$2" 'BEGIN {
        for (r = 0; r < 1000; r++) {
            file = dir "/rank" r ".log"; line = text; gsub(/@/, r, line)
            print "step 40 loss 2.1\n" line >file
            close(file)
        }
    }'
}

# says NAME CAUSE: the verdict, and no rule that gave up
says()
{
    "$tool" analyze --no-cache "$tmp/$1" >"$tmp/out" 2>&1
    if grep -q "budget used up" "$tmp/out" || ! grep -q "^$2: " "$tmp/out"; then
        echo "no $2 of $1:"
        head -5 "$tmp/out"
        failed=1
    fi
}

each_rank values 'Traceback (most recent call last):\n  File "/srv/main.py", line 7, in <module>\n    main()\nValueError: batch of @ samples is not of 4096'
says values app.exception
each_rank faults 'Traceback (most recent call last):\n  File "/srv/main.py", line 7, in <module>\n    main()\nCUDAError: CUDA error: an illegal memory access was encountered'
says faults gpu.app_fault
each_rank thrown "terminate called after throwing an instance of 'c10::Error'\n  what():  [PG 0 Rank @] Process group watchdog thread terminated with exception: CUDA error: an illegal memory access was encountered"
says thrown gpu.app_fault

exit $failed
