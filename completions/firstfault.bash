# bash completion for firstfault
_firstfault()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
    local commands='analyze rules causes test explain clocks collectives comms env redact version help' options=
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "$commands" -- "$cur"))
        return
    fi
    case $prev in
        -o | --output) [[ $command == redact ]] && COMPREPLY=($(compgen -f -- "$cur")) && return ;;&
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return ;;
        --fail-on) COMPREPLY=($(compgen -W 'note warning error critical' -- "$cur")); return ;;
        --expect) COMPREPLY=($(compgen -W "$(firstfault causes 2>/dev/null | cut -d' ' -f1)" -- "$cur")); return ;;
        --jobs) return ;;
        -o | --output | --rules) COMPREPLY=($(compgen -d -- "$cur")); return ;;
        --json | --html | --xlsx | --markdown | --junit | --sarif | --ndjson | --csv | --perfetto | --map) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    esac
    case $command in
        analyze) options='--output --json --html --xlsx --markdown --junit --sarif --ndjson --csv --perfetto --rules --jobs
            --fail-on --expect --color --quiet --verbose --no-prefilter --no-cache --no-sandbox --redact --map --help' ;;
        rules)
            if ((COMP_CWORD == 2)); then
                COMPREPLY=($(compgen -W 'list check' -- "$cur"))
                return
            fi
            options='--help'
            [[ ${COMP_WORDS[2]} == list ]] && options='--rules --help' ;;
        causes) options='--rules --help' ;;
        test) options='--output --rules --jobs --color --verbose --no-prefilter --no-cache --no-sandbox --report-only --help' ;;
        explain) options='--rules --jobs --verbose --no-prefilter --no-cache --no-sandbox --help' ;;
        clocks) options='--rules --jobs --no-cache --no-sandbox --help' ;;
        collectives) options='--perfetto --rules --jobs --quiet --verbose --no-prefilter --no-cache --no-sandbox --help' ;;
        comms | env) options='--rules --jobs --verbose --no-prefilter --no-cache --no-sandbox --help' ;;
        redact) options='--output --map --check --rules --jobs --quiet --verbose --no-cache --no-sandbox --help' ;;
        version) options='--help' ;;
        help) COMPREPLY=($(compgen -W "$commands" -- "$cur")); return ;;
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$cur"))
    elif [[ $command == causes ]]; then
        COMPREPLY=($(compgen -W "$(firstfault causes 2>/dev/null | cut -d' ' -f1)" -- "$cur"))
    else
        COMPREPLY=($(compgen -f -- "$cur"))
    fi
}
complete -o filenames -F _firstfault firstfault
