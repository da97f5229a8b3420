/** The script for zsh. */

import { type Completed, type CompletedWord, pathsOf } from "./completed.ts";
import { branch, cases, quoted } from "./shell-text.ts";

export function zshScript(all: readonly Completed[]): string {
  const words = all.map(({ path, commands, options, values }) => {
    const known = [...commands, ...values.map((word) => ({ word, says: "" }))];
    return branch([path], `words_=(${described(known)}); options_=(${described(options)})`);
  });
  return `#compdef share-release
# Completion of share-release for zsh. In ~/.zshrc, after compinit: source <(share-release completion zsh)
_share_release() {
    local command= place
    local -a words_ options_
    for ((place = 2; place < CURRENT; place++)); do
        case "$command/\${words[place]}" in
${branch(pathsOf(all), `command+=/\${words[place]}`)}
        esac
    done
    case "$command \${words[CURRENT - 1]}" in
${cases(all, (values) => (values.length === 0 ? "_files; return" : `compadd -- ${values.map(quoted).join(" ")}; return`))}
    esac
    case "$command" in
${words.join("\n")}
    esac
    if [[ $PREFIX == -* ]]; then
        _describe option options_
    elif (( \${#words_} > 0 )); then
        _describe word words_
    else
        _files
    fi
}
compdef _share_release share-release
`;
}

/** `word:what it is for`: a colon within either ends it. */
function described(words: readonly CompletedWord[]): string {
  return words.map(({ word, says }) => quoted(`${word.replaceAll(":", "\\:")}:${says}`)).join(" ");
}
