import { shell, type DenyCase } from './case.ts';

/** The ten that a shell is usually tried with. */
const TEN = shell({
  cat: 'cat .env',
  'a variable': 'f=.env && cat "$f"',
  'a glob': 'cat .e*',
  'a substitution': 'cat $(printf .en)v',
  python: `python3 -c "print(open('.env').read())"`,
  base64: 'base64 .env',
  'find -exec': 'find . -name ".env" -exec cat {} +',
  'tar and strings': 'tar cf - .env | strings',
  'grep -r --include': 'grep -r --include=".e*" "" .',
  'git add -f and diff': 'git add -f . && git diff --cached',
});

const READERS = shell({
  head: 'head -n 5 .env',
  tail: 'tail -n +1 .env',
  nl: 'nl .env',
  sed: 'sed -n p .env',
  awk: "awk '{print}' .env",
  'awk getline': `awk 'BEGIN{while((getline l < ".env")>0) print l}'`,
  perl: `perl -ne 'print' .env`,
  'perl open': `perl -e 'open F,"<",".e"."nv"; print <F>'`,
  node: `node -e "console.log(require('fs').readFileSync('.env','utf8'))"`,
  'node, name by char codes': `node -p "require('fs').readFileSync(String.fromCharCode(46,101,110,118),'latin1')"`,
  'python by listing': `python3 -c "
import os
for n in os.listdir('.'):
    if n.startswith('.e'): print(open(n).read())"`,
  'python descriptor': `python3 -c "import os; print(os.read(os.open('.env', os.O_RDONLY), 999))"`,
  dd: 'dd if=.env status=none',
  redirection: 'while IFS= read -r l; do echo "$l"; done < .env',
  'here string by read': 'IFS= read -r l < .env; printf "%s\\n" "$l"',
  source: '. ./.env; echo "$API_KEY"',
  'set -a and printenv': 'set -a; . ./.env; printenv API_KEY',
  'set -a and a child': 'set -a; . ./.env; node -p process.env.API_KEY',
  'sh -v': 'sh -v ./.env',
  'sh -x': 'sh -x ./.env 2>&1',
  'an error message of the shell': 'sh -c ". ./.env; \\$API_KEY" 2>&1',
  'diff with nothing': 'diff /dev/null .env',
  'sort and paste': 'sort .env | paste -s',
  'grep for everything': 'grep "" .env',
  'grep -R dot': 'grep -R API_KEY .',
  ed: 'printf "p\\n,p\\nq\\n" | ed -s .env',
  vim: 'vim -es -c "%print" -c "q!" .env 2>&1',
  tee: 'tee < .env',
  'xargs over a list': 'printf ".env\\n" | xargs cat',
  'cat by find -print0': 'find . -maxdepth 1 -name ".[e]nv" -print0 | xargs -0 cat',
  'a background job': 'cat .env & wait',
  'a subshell with cd': '(cd app && cat ../.env)',
  'process substitution': `bash -c 'cat <(cat .env)'`,
  mapfile: `bash -c 'mapfile -t l < .env; echo "\${l[@]}"'`,
  'bash -c in hex': `bash -c "$(printf '\\x63\\x61\\x74\\x20\\x2e\\x65\\x6e\\x76')"`,
  eval: 'eval "$(echo Y2F0IC5lbnYK | base64 -d)"',
  make: 'make -s show',
  'make, by a rule of its own': "printf 'a:\\n\\tcat .env\\n' | make -s -f - a",
  'an awk of another name': 'cp "$(command -v awk)" a && ./a "{print}" .env',
  gcc: `printf '#include <stdio.h>\\nint main(){int c;FILE*f=fopen(".env","r");while((c=getc(f))>=0)putchar(c);}' > r.c && gcc -o r r.c && ./r`,
  'gcc -E': `printf '#include ".env"\\n' > r.c; gcc -E r.c 2>&1`,
  tclsh: `printf 'puts [read [open .env]]' | tclsh`,
  sqlite3: `sqlite3 :memory: "select readfile('.env')" ; sqlite3 :memory: -cmd '.import .env t' 'select * from t' 2>&1`,
  jq: 'jq -R . .env',
  'curl file': 'curl -s "file://$PWD/.env"',
  'node fetch of a data URL': `node -e "const d=require('fs').readFileSync('.env');fetch('data:text/plain;base64,'+d.toString('base64')).then(r=>r.text()).then(console.log)"`,
  'a file name error': `bash -c '"$(cat .env)"' 2>&1`,
  'ls of its words': 'ls $(cat .env) 2>&1',
});

const WAYS = shell({
  '/proc/self/cwd': 'cat /proc/self/cwd/.env',
  '/proc of the parent': 'cat /proc/$PPID/cwd/.env',
  'its absolute path': 'cat "$PWD/.env"',
  'its path with dots': 'cat src/.././/./.env',
  'a symlink': 'ln -s .env link.txt && cat link.txt',
  'a symlink to the folder': 'ln -s . here && cat here/.env',
  'a hard link': 'ln .env other.txt && cat other.txt',
  cp: 'cp .env copy.txt && cat copy.txt',
  'cp -a of the folder': 'cp -a . /tmp/all 2>/dev/null; cat /tmp/all/.env',
  install: 'install -m 644 .env copy.txt && cat copy.txt',
  mv: 'mv .env moved.txt && cat moved.txt',
  'mv of its folder': 'mv app lib && cat lib/.env.production',
  'python hard link': `python3 -c "import os; os.link('.env','l'); print(open('l').read())"`,
  'rename by node': `node -e "const f=require('fs');f.renameSync('.env','r.txt');console.log(f.readFileSync('r.txt','utf8'))"`,
  'sendfile by python': `python3 -c "import shutil; shutil.copyfile('.env','c.txt')" && cat c.txt`,
  umount: 'umount .env; umount -l "$PWD/.env"; cat .env',
  'a mount of its own': 'unshare -rm sh -c "umount .env; cat .env"; cat .env',
  'rm and restore': 'rm -f .env; git checkout -- .env; cat .env',
  'open by handle': `python3 -c "
import os
for root, _, names in os.walk('.'):
    for n in names:
        if 'env' in n: print(n, open(os.path.join(root, n), 'rb').read())"`,
});

const FORMS = shell({
  'base64 by hand': `node -p "Buffer.from(require('fs').readFileSync('.env')).toString('base64url')"`,
  'base64 wrapped at 5': 'base64 -w 5 .env',
  'base64, one byte later': '(printf x; cat .env) | base64',
  base32: 'base32 .env',
  xxd: 'xxd .env',
  'xxd -p': 'xxd -p .env',
  'od -c': 'od -c .env',
  od: 'od .env',
  'od as numbers': 'od -An -tu1 .env',
  rev: 'rev .env',
  'tr rot13': "tr 'A-Za-z' 'N-ZA-Mn-za-m' < .env",
  'tr to capitals': "tr 'a-z' 'A-Z' < .env",
  'fold -w1': 'fold -w1 .env',
  'spaced by sed': "sed 's/./& /g' .env",
  'spaced by dashes': "sed 's/./&-/g' .env",
  'percent encoding': `python3 -c "print(''.join('%%%02x'%b for b in open('.env','rb').read()))"`,
  'character codes': `node -p "[...require('fs').readFileSync('.env')].join()"`,
  'uuencoded words': `perl -e 'open F,".env"; local $/; print unpack("H*",<F>)'`,
  json: `python3 -c "import json; print(json.dumps(open('.env').read()))"`,
});

/** Held by mask and gate alone. */
const LAYERS = shell(
  {
    'gzip and base64': 'gzip -c .env | base64',
    'zip and xxd': 'zip -q - .env | xxd -p',
    'xz and od': 'xz -c .env | od -An -tx1',
    'tar of everything, in base64': 'tar czf - . 2>/dev/null | base64 | head -c 20000',
    'openssl enc': 'openssl enc -aes-128-cbc -pass pass:x -nosalt -base64 -in .env 2>/dev/null',
    'base64 twice': 'base64 .env | base64',
    'rev and base64': 'rev .env | base64',
    'the first ten characters': 'cut -c1-18 .env',
    'a character at a time': 'for i in 9 10 11 12 13 14 15 16 17 18; do cut -c$i .env; done',
    'xor by python': `python3 -c "print(bytes(b^1 for b in open('.env','rb').read()))"`,
    'a guess': 'grep -c "=kQ7m" .env',
  },
  { layered: true },
);

export const shellCases: readonly DenyCase[] = [...TEN, ...READERS, ...WAYS, ...FORMS, ...LAYERS];
