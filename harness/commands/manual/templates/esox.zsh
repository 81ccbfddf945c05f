#compdef esox
# zsh completion for esox; written by: esox completion zsh

# Folders of findings below what has been typed, else below esox-out; and files.
_esox_findings() {
  local -a found
  found=(${~PREFIX}*/findings/*(N/) ${~PREFIX}*/*/findings/*(N/))
  [[ -n $PREFIX ]] || found+=(esox-out/*/findings/*(N/))
  (( $#found )) && compadd -f -- $found
  _files
}

# Those of the triage store that esox triage uses by default.
_esox_ids() {
  local -a ids
  [[ -f esox-out/findings.db ]] &&
    ids=(${(f)"$(esox triage list 2>/dev/null | grep -o '^[0-9a-f]\{16\}')"})
  compadd -- $ids
}

_esox_programs() {
  _alternative 'commands:command:_command_names -e' 'files:file:_files'
}
{{#commands}}

{{{function}}}() {
{{^parts}}
  _arguments -s -S{{#specs}} \
    {{{.}}}{{/specs}}
{{/parts}}
{{#has_parts}}
  local state line
  _arguments -C{{#specs}} \
    {{{.}}}{{/specs}} \
    '1: :->part' \
    '*:: :->rest'
  case $state in
    part)
      local -a parts=({{#parts}}
        {{{described}}}{{/parts}})
      _describe command parts ;;
    rest)
      case $line[1] in
{{#parts}}
        {{{name}}}) {{{function}}} ;;
{{/parts}}
      esac ;;
  esac
{{/has_parts}}
}
{{/commands}}
if [ "$funcstack[1]" = _esox ]; then
  _esox "$@"
else
  compdef _esox esox
fi
