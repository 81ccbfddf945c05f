# bash completion for esox; written by: esox completion bash

# Sets parts, options and operands of a command.
_esox_facts() {
  case $1 in
{{#commands}}
    {{{path}}}) parts={{{part_names}}} options={{{option_names}}} operands={{{operands}}} ;;
{{/commands}}
  esac
}

# What the value of an option, or an operand by its number, can be.
_esox_value() {
  case $1 in
{{#commands}}
{{#values}}
    {{{of}}}) echo {{{offer}}} ;;
{{/values}}
{{/commands}}
  esac
}

# Folders of findings below what has been typed, else below esox-out.
_esox_findings() {
  local pattern
  for pattern in "$1*/findings/*/" "$1*/*/findings/*/"; do
    compgen -G "$pattern"
  done
  [[ -n $1 ]] || compgen -G 'esox-out/*/findings/*/'
}

# Those of the triage store that esox triage uses by default.
_esox_ids() {
  [[ ! -f esox-out/findings.db ]] || esox triage list 2>/dev/null | grep -o '^[0-9a-f]\{16\}'
}

_esox_offer() {
  local current=$1 kind=$2
  shift 2
  case $kind in
    words) mapfile -t COMPREPLY < <(compgen -W "$*" -- "$current") ;;
    ids) mapfile -t COMPREPLY < <(compgen -W "$(_esox_ids)" -- "$current") ;;
    files) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    folders) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    findings)
      mapfile -t COMPREPLY < <(
        { _esox_findings "$current" | sed 's,/$,,'; compgen -f -- "$current"; } | sort -u
      )
      ;;
    programs)
      mapfile -t COMPREPLY < <({ compgen -c -- "$current"; compgen -f -- "$current"; } | sort -u)
      ;;
  esac
  case $kind in
    files | folders | findings | programs) compopt -o filenames 2>/dev/null ;;
  esac
}

# Bash splits words at '=', too: --seed=7 comes as three. After `--` stands the command line of
# another program.
_esox() {
  local current=${COMP_WORDS[COMP_CWORD]} path=esox word waiting='' operand=1 other=0 i offer
  local parts options operands
  _esox_facts esox
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if ((other > 0)); then
      ((++other))
    elif [[ $word == '=' ]]; then
      continue
    elif [[ -n $waiting ]]; then
      waiting=''
    elif [[ $word == -- ]]; then
      other=1
    elif [[ $word == -* ]]; then
      [[ -z $(_esox_value "$path $word") ]] || waiting=$word
    elif [[ " $parts " == *" $word "* ]]; then
      path="$path $word"
      _esox_facts "$path"
    else
      ((++operand))
    fi
  done
  [[ $current != '=' ]] || current=''
  ((operand <= operands)) || operand=$operands
  COMPREPLY=()
  if ((other > 1)); then
    offer=files
  elif [[ -n $waiting ]]; then
    offer=$(_esox_value "$path $waiting")
  elif [[ $current == -* && $other -eq 0 ]] || [[ -z $parts && $operands -eq 0 ]]; then
    offer="words $options"
  elif [[ -n $parts ]]; then
    offer="words $parts"
  else
    offer=$(_esox_value "$path $operand")
  fi
  # shellcheck disable=SC2086
  _esox_offer "$current" $offer
}

complete -F _esox esox
