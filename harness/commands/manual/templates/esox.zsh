#compdef esox
# zsh completion for esox; written by: esox completion zsh
# What fits the line esox itself says (esox complete-words): a kind of words that zsh knows, then
# candidates, one a line, with descriptions.
_esox() {
  local -a lines=("${(@f)$("${words[1]/#\~/$HOME}" complete-words -- \
    "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  local kind=$lines[1]
  if [[ $kind == (program|arguments) ]] && compset -N --; then
    _normal # as if that program's line stood alone
    return
  fi
  compset -P '--*='
  lines=("${(@)lines[2,-1]//:/\\:}") # a ':' separates a word from its description
  lines=("${(@)lines/$'\t'/:}")
  local -a valued=("${(@M)lines:#--*=:*}") plain=("${(@)lines:#--*=:*}")
  _describe option valued -S ''
  _describe argument plain
  case $kind in
    files | arguments) _files ;;
    folders) _files -/ ;;
    program) _alternative 'commands:command:_command_names -e' 'files:file:_files' ;;
  esac
}
if [ "$funcstack[1]" = _esox ]; then
  _esox "$@"
else
  compdef _esox esox
fi
