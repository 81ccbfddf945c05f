# bash completion for esox; written by: esox completion bash
# What fits the line esox itself says (esox complete-words): a kind of words that bash knows, then
# candidates, one a line, with descriptions that bash has no place for.
_esox() {
  local typed=${COMP_WORDS[COMP_CWORD]} kind
  [[ $typed != '=' ]] || typed='' # of --seed=7, which bash splits
  mapfile -t COMPREPLY < <("${COMP_WORDS[0]/#\~/$HOME}" complete-words -- \
    "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  kind=${COMPREPLY[0]}
  COMPREPLY=("${COMPREPLY[@]:1}")
  COMPREPLY=("${COMPREPLY[@]%%$'\t'*}")
  COMPREPLY=("${COMPREPLY[@]%=}")
  case $kind in
    files | arguments) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$typed") ;;
    folders) mapfile -t COMPREPLY < <(compgen -d -- "$typed") ;;
    program) mapfile -t COMPREPLY < <(compgen -c -f -- "$typed") ;;
    *) return ;;
  esac
  compopt -o filenames 2>/dev/null
}
complete -F _esox esox
