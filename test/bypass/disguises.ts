import { singleQuote } from '../../core/protocol/quote-shell-word.ts';
/** Turns a command into another one that does the same. */
export interface Disguise {
  name: string;
  apply: (command: string) => string;
}

const double = (text: string) => text.replaceAll(/["$`\\]/g, '\\$&');
const hex = (text: string) => Buffer.from(text).toString('hex');
const base64 = (text: string) => Buffer.from(text).toString('base64');
const octal = (text: string) => [...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
const ansi = (text: string) =>
  `$'${[...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}'`;
const reverse = (text: string) => Array.from(text).toReversed().join('');
const words = (command: string) => command.split(' ');
/** Changes every word that holds no pattern. */
const eachWord = (command: string, change: (word: string) => string) =>
  words(command)
    .map((word) => (/[*?]/.test(word) ? word : change(word)))
    .join(' ');
const half = (word: string) => Math.ceil(word.length / 2);
const json = (command: string) => JSON.stringify(command);

/** A subscript that runs the command, with its output where it is seen. */
const subscript = (command: string) => `a[$(${command} >&2)]`;

export const DISGUISES: readonly Disguise[] = [
  { name: 'as it is', apply: (command) => command },
  { name: 'single quotes', apply: (command) => eachWord(command, singleQuote) },
  {
    name: 'split quotes',
    apply: (command) => eachWord(command, (word) => `${word.slice(0, half(word))}""${word.slice(half(word))}`),
  },
  { name: 'backslashes', apply: (command) => eachWord(command, (word) => word.replaceAll(/[a-z]/g, '\\$&')) },
  { name: 'ANSI-C quotes', apply: (command) => eachWord(command, ansi) },
  { name: 'one variable', apply: (command) => `x=${singleQuote(command)}; $x` },
  {
    name: 'variable for the name',
    apply: (command) => `p=${words(command)[0]}; $p ${words(command).slice(1).join(' ')}`,
  },
  {
    name: 'variables in pieces',
    apply: (command) => `a=${singleQuote(command.slice(0, 2))} b=${singleQuote(command.slice(2))}; eval "$a$b"`,
  },
  { name: 'indirect variable', apply: (command) => `real=${singleQuote(command)}; name=real; eval "\${!name}"` },
  { name: 'array', apply: (command) => `c=(${command.replaceAll('*', '\\*')}); \${c[@]}` },
  { name: 'positional', apply: (command) => `set -- ${command}; "$@"` },
  { name: 'IFS', apply: (command) => command.replaceAll(' ', '${IFS}') },
  { name: 'other IFS', apply: (command) => `IFS=_; x=${singleQuote(command.replaceAll(' ', '_'))}; $x` },
  { name: 'braces', apply: (command) => `{${words(command).join(',')}}` },
  { name: 'slices', apply: (command) => `s=${singleQuote(`zz${command}yy`)}; eval "\${s:2:${command.length}}"` },
  {
    name: 'slice of a variable',
    apply: (command) => `s=${singleQuote(`x${words(command)[0]}`)}; \${s:1} ${words(command).slice(1).join(' ')}`,
  },
  { name: 'replacement', apply: (command) => `s=${singleQuote(command.replaceAll(' ', '@'))}; eval "\${s//@/ }"` },
  { name: 'prefix removed', apply: (command) => `s=${singleQuote(`junk:${command}`)}; eval "\${s#*:}"` },
  {
    name: 'lower case',
    apply: (command) =>
      command === command.toLowerCase()
        ? `s=${singleQuote(command.toUpperCase())}; eval "\${s,,}"`
        : `eval ${singleQuote(command)}`,
  },
  { name: 'eval', apply: (command) => `eval ${singleQuote(command)}` },
  { name: 'sh -c', apply: (command) => `sh -c ${singleQuote(command)}` },
  { name: 'bash -c, twice', apply: (command) => `bash -c ${singleQuote(`bash -c ${singleQuote(command)}`)}` },
  { name: 'sh -c with arguments', apply: (command) => `sh -c '"$@"' _ ${command}` },
  { name: 'joined flags', apply: (command) => `bash -ec ${singleQuote(command)}` },
  { name: 'base64', apply: (command) => `echo ${base64(command)} | base64 -d | sh` },
  { name: 'base64 here-string', apply: (command) => `bash -c "$(base64 -d <<< ${base64(command)})"` },
  { name: 'base64, twice', apply: (command) => `echo ${base64(base64(command))} | base64 -d | base64 --decode | bash` },
  { name: 'hexadecimal by xxd', apply: (command) => `echo ${hex(command)} | xxd -r -p | sh` },
  { name: 'printf octal', apply: (command) => `printf '${octal(command)}' | sh` },
  { name: 'printf in a substitution', apply: (command) => `eval "$(printf '${octal(command)}')"` },
  {
    name: 'echo -e',
    apply: (command) => `bash -c "$(echo -e '${hex(command).replaceAll(/../g, '\\\\x$&').replaceAll('\\\\', '\\')}')"`,
  },
  { name: 'reversed', apply: (command) => `echo ${singleQuote(reverse(command))} | rev | sh` },
  {
    name: 'rot13',
    apply: (command) =>
      `echo ${singleQuote(command.replaceAll(/[a-z]/gi, (c) => String.fromCharCode(c.charCodeAt(0) + (c.toLowerCase() < 'n' ? 13 : -13))))} | tr 'A-Za-z' 'N-ZA-Mn-za-m' | sh`,
  },
  { name: 'sed', apply: (command) => `echo ${singleQuote(command.replaceAll(' ', '#'))} | sed 's/#/ /g' | sh` },
  { name: 'cut', apply: (command) => `echo ${singleQuote(`one:${command}`)} | cut -d: -f2- | sh` },
  {
    name: 'head and tail',
    apply: (command) => `printf 'a\\n%s\\nb\\n' ${singleQuote(command)} | head -n 2 | tail -n 1 | sh`,
  },
  { name: 'openssl', apply: (command) => `echo ${base64(command)} | openssl base64 -d -A | sh` },
  { name: 'awk prints it', apply: (command) => `awk 'BEGIN{print "${double(command)}"}' | sh` },
  { name: 'python prints it', apply: (command) => `python3 -c ${singleQuote(`print(${json(command)})`)} | sh` },
  { name: 'here-document', apply: (command) => `sh <<'E'\n${command}\nE` },
  { name: 'here-document through cat', apply: (command) => `cat <<E | bash\n${command.replaceAll('$', '\\$')}\nE` },
  { name: 'here-string', apply: (command) => `bash <<< ${singleQuote(command)}` },
  { name: 'process substitution', apply: (command) => `bash <(echo ${singleQuote(command)})` },
  { name: 'source', apply: (command) => `source <(echo ${singleQuote(command)})` },
  { name: 'written script', apply: (command) => `echo ${singleQuote(command)} > /tmp/s.sh; sh /tmp/s.sh` },
  {
    name: 'written program',
    apply: (command) => `printf '#!/bin/sh\\n%s\\n' ${singleQuote(command)} > /tmp/p; chmod +x /tmp/p; /tmp/p`,
  },
  {
    name: 'xargs',
    apply: (command) => `echo ${singleQuote(words(command).slice(1).join(' '))} | xargs ${words(command)[0]}`,
  },
  { name: 'xargs -I', apply: (command) => `echo ${singleQuote(command)} | xargs -I{} sh -c '{}'` },
  { name: 'find -exec', apply: (command) => `find . -maxdepth 0 -exec sh -c ${singleQuote(command)} \\;` },
  { name: 'env', apply: (command) => `env A=1 ${command}` },
  { name: 'env -S', apply: (command) => `env -S ${singleQuote(/\*/.test(command) ? `sh -c "${command}"` : command)}` },
  { name: 'wrappers', apply: (command) => `nohup nice -n 5 timeout 20 ${command}` },
  { name: 'more wrappers', apply: (command) => `command setsid -w stdbuf -o0 ${command}` },
  { name: 'exec', apply: (command) => `(exec ${command})` },
  { name: 'full path', apply: (command) => `/usr/bin/env ${command}` },
  { name: 'function', apply: (command) => `f() { ${command}; }; f` },
  { name: 'function of its arguments', apply: (command) => `run() { "$@"; }; run ${command}` },
  { name: 'alias', apply: (command) => `shopt -s expand_aliases\nalias go=${singleQuote(command)}\ngo` },
  { name: 'trap', apply: (command) => `bash -c ${singleQuote(`trap ${singleQuote(command)} EXIT`)}` },
  { name: 'loop', apply: (command) => `for c in ${singleQuote(command)}; do eval "$c"; done` },
  { name: 'while read', apply: (command) => `while read -r line; do eval "$line"; done <<< ${singleQuote(command)}` },
  { name: 'read', apply: (command) => `read -r line <<< ${singleQuote(command)}; $line` },
  { name: 'mapfile', apply: (command) => `mapfile -t m <<< ${singleQuote(command)}; eval "\${m[0]}"` },
  { name: 'printf -v', apply: (command) => `printf -v s '%s' ${singleQuote(command)}; eval "$s"` },
  { name: 'case', apply: (command) => `case x in x) ${command};; esac` },
  { name: 'background', apply: (command) => `{ ${command}; } & wait` },
  { name: 'coproc', apply: (command) => `coproc cat; { ${command}; } 2>&1; kill $COPROC_PID` },
  { name: 'arithmetic', apply: (command) => `i=$((3*2-6)); c=(${singleQuote(command)}); eval "\${c[$i]}"` },
  { name: 'glob path', apply: (command) => `/usr/bin/[e]nv ${command}` },
  {
    name: 'default value',
    apply: (command) => `\${nothing:-${words(command)[0]}} ${words(command).slice(1).join(' ')}`,
  },
  { name: 'empty variables', apply: (command) => `unset u; ${command[0]}\${u}${command.slice(1)}` },
  { name: 'descriptor', apply: (command) => `exec 3<<< ${singleQuote(command)}; bash <&3` },
  { name: 'python', apply: (command) => `python3 -c ${singleQuote(`import os; os.system(${json(command)})`)}` },
  {
    name: 'python, hidden',
    apply: (command) => `python3 -c ${singleQuote(`__import__("o"+"s").__dict__["sys"+"tem"](${json(command)})`)}`,
  },
  {
    name: 'python on standard input',
    apply: (command) => `python3 <<'E'\nimport subprocess\nsubprocess.call(${json(command)}, shell=True)\nE`,
  },
  { name: 'perl', apply: (command) => `perl -e ${singleQuote(`exec q(${command})`)}` },
  {
    name: 'node',
    apply: (command) =>
      `node -e ${singleQuote(`require("child_process").execSync(${json(command)},{stdio:"inherit"})`)}`,
  },
  { name: 'awk system', apply: (command) => `awk 'BEGIN{system("${double(command)}")}'` },
  { name: 'sed e', apply: (command) => `echo x | sed ${singleQuote(`1e ${command}`)}` },
  { name: 'git alias', apply: (command) => `git -c alias.x=${singleQuote(`!${command}`)} x` },
  { name: 'make', apply: (command) => `make -s -f - <<'E'\nall:\n\t@${command.replaceAll('$', '$$$$')}\nE` },
  {
    name: 'tar',
    apply: (command) => `tar cf /dev/null README.md --checkpoint=1 --checkpoint-action=exec=${singleQuote(command)}`,
  },
  { name: 'subscript of let', apply: (command) => `let ${singleQuote(`${subscript(command)}=1`)}` },
  {
    name: 'subscript of let, escaped',
    apply: (command) => `bash -c ${singleQuote(`let "${subscript(command).replace('$', '\\$')}=1"`)}`,
  },
  { name: 'subscript of printf -v', apply: (command) => `printf -v ${singleQuote(subscript(command))} x` },
  { name: 'subscript of read', apply: (command) => `read ${singleQuote(subscript(command))} <<< 1` },
  { name: 'subscript of test -v', apply: (command) => `a=(1); test -v ${singleQuote(subscript(command))}` },
  { name: 'subscript of [[ -v', apply: (command) => `a=(1); [[ -v ${singleQuote(subscript(command))} ]]` },
  { name: 'subscript of unset', apply: (command) => `a=(1); unset ${singleQuote(subscript(command))}` },
  { name: 'subscript of declare', apply: (command) => `declare -i n=${singleQuote(subscript(command))}` },
  { name: 'value in arithmetic', apply: (command) => `x=${singleQuote(subscript(command))}; (( x ))` },
  { name: 'value of a value', apply: (command) => `z=${singleQuote(subscript(command))}; x=z; echo $((x + 1))` },
  {
    name: 'value in a comparison',
    apply: (command) => `read -r x <<< ${singleQuote(subscript(command))}; [[ $x -eq 1 ]]`,
  },
  { name: 'value as an offset', apply: (command) => `x=${singleQuote(subscript(command))}; y=abc; echo "\${y:x}"` },
  { name: 'value of a name', apply: (command) => `x=${singleQuote(subscript(command))}; echo "\${!x}"` },
  { name: 'value as a prompt', apply: (command) => `x=${singleQuote(`$(${command} >&2)`)}; echo "\${x@P}"` },
  { name: 'mapfile -C', apply: (command) => `mapfile -C ${singleQuote(`${command} #`)} -c 1 m <<< 1` },
  {
    name: 'function of the environment',
    apply: (command) => `env ${singleQuote(`BASH_FUNC_ls%%=() { ${command}; }`)} bash -c ls`,
  },
  { name: 'and and or', apply: (command) => `true && ${command} || false` },
  { name: 'folder and back', apply: (command) => `cd src && cd .. && ${command}` },
  { name: 'other folder', apply: (command) => `(cd "$PWD"/src/../. && ${command})` },
];
