export interface CodeSigns {
  spawns?: RegExp;
  removes?: RegExp;
  connects?: RegExp;
  /** Runs or names something that is computed. */
  obscures?: RegExp;
}

const GDB_READS = [
  '(?:r|run|start|starti|process launch)',
  '(?:thread apply all |t a a )?(?:bt|backtrace|where)(?: full| -?\\d+| all)*',
  '(?:c|continue|n|next|s|step|ni|si|nexti|stepi|fin|finish|u|until|q|quit|kill|detach|up|down|frame|f)(?: \\d+)?',
  '(?:i|info|p|print|p/\\w+|x/\\w+|x|ptype|whatis|list|l|b|br|break|tb|tbreak|watch|delete|display|echo|disas|disassemble)(?: [^\\n|!`>]*)?',
  '(?:set|settings set) (?:pagination|confirm|width|height|print [\\w-]+|breakpoint pending|disassembly-flavor)[ \\w]*',
].join('|');
/** By language. The gate asks about code in any other language. */
export const SIGNS: Record<string, CodeSigns> = {
  python: {
    spawns:
      /\bsubprocess\b|\bos\s*\.\s*(?:system|popen|exec\w+|spawn\w+|posix_spawn\w*|fork\w*|kill\w*|startfile)\b|from\s+os\s+import|\bpty\b|\bpexpect\b|create_subprocess|\bcommands\.get|\bplatform\.popen|\bmultiprocessing\b|\bsh\.\w+\(/,
    removes:
      /\bos\s*\.\s*(?:remove|unlink|rmdir|removedirs|truncate|chmod|chown)\b|\brmtree\b|\.(?:unlink|rmdir)\s*\(|\bshutil\s*\.\s*move\b|\bsend2trash\b/,
    connects:
      /\bsocket\b|\burllib\b|\brequests\b|\bhttp\s*\.\s*client\b|\bhttpx\b|\baiohttp\b|\bftplib\b|\bsmtplib\b|\bparamiko\b|\btelnetlib\b|\bxmlrpc\b/,
    obscures:
      /(?<![.\w])(?:eval|exec|compile|__import__|execfile|input)\s*\(|\b__builtins__|\b__import__|\bimportlib\b|\bgetattr\s*\(\s*(?:os|sys|shutil|builtins|__)|\bb(?:64|32|16|85)decode|\bfromhex\b|\bunhexlify\b|\bcodecs\b|\bchr\b|\bbytes\s*\(\s*\[|\bbytearray\b|\bmarshal\b|\bpickle\b|\bctypes\b|\bcffi\b|\bglobals\s*\(|\bvars\s*\(\s*\)|\bzlib\b|\.translate\s*\(|\bsys\.stdin\b.{0,999}\bexec\b|\bimport\s+os\s+as\b|\bfrom\s+(?:shutil|builtins)\s+import|\brunpy\b|\bcode\.interact|__subclasses__|__globals__/,
  },
  node: {
    spawns:
      /child_process|\bexecSync\b|\bspawnSync?\b|\bexecFile|\bBun\s*\.\s*(?:spawn|\$)|\bDeno\s*\.\s*(?:run|Command)|\bprocess\s*\.\s*(?:kill|binding|dlopen|mainModule)|\bexeca\b|\bshelljs\b|\bzx\b|\bcluster\b|\bWorker\s*\(/,
    removes:
      /\b(?:rm|rmdir|unlink|rimraf|truncate|chmod)(?:Sync)?\s*\(|\bemptyDir|\.remove(?:Sync)?\s*\(\s*['"`]|\[\s*['"`](?:rm|unlink|rmdir|rmSync|unlinkSync|rmdirSync)/,
    connects:
      /(?:require\s*\(|from\s+|import\s*\(?)\s*['"`](?:node:)?(?:net|tls|dgram|http2|dns|https?)['"`]|\bXMLHttpRequest\b|\bWebSocket\b|\bfetch\s*\((?!\s*['"`]https?:\/\/(?:localhost|127\.0\.0\.1))|\bhttps?\s*\.\s*(?:get|request)\s*\(|\baxios\b/,
    obscures:
      /(?<![.\w])eval\s*\(|\bnew\s+Function\b|(?<![.\w])Function\s*\(|\bvm\b\s*[.)]|['"`](?:node:)?vm['"`]|\batob\b|Buffer\.from\s*\([^)]{0,999},\s*['"`](?:base64|hex|base64url)|\bfromCharCode\b|\bfromCodePoint\b|\bunescape\s*\(|\brequire\s*\(\s*[^'"`)\s]|\bimport\s*\(\s*[^'"`)\s]|\bglobalThis\s*\[|\bglobal\s*\[|\bprocess\s*\[|\bconstructor\s*[.[(]\s*['"`]?constructor|\bdecodeURIComponent\s*\(\s*['"`]|\bfs\s*\[|\)\s*\[\s*['"`]?[a-z]+['"`]?\s*\+|\bcreateRequire\b|\bdotenv\b|\bmodule\._load|\bReflect\b/,
  },
  perl: {
    spawns:
      /\bsystem\b|(?<![$@%&\w])exec\b|`|\bqx\b|\bopen\s*\(?[^;]{0,999}\|\s*['"]|['"]\s*\|\s*-?|\bfork\b|\bkill\b|\bIPC::|\bsyscall\b|\bpipe\b/,
    removes: /\bunlink\b|\brmdir\b|\brmtree\b|\bremove_tree\b|\btruncate\b|\bchmod\b|\brename\b/,
    connects: /\bIO::Socket|\bLWP\b|\bsocket\b|\bHTTP::|\bNet::/,
    obscures:
      /\beval\b|\bpack\b|\bunpack\b|\bchr\b|\bdecode_base64|\bMIME::|\bsprintf\s*\(?\s*['"]%[cv]|\brequire\s+[$"']|\bdo\s*[$"'<]|&\s*\{|\breverse\b|\by\/|\btr\/|\$\^O|\bhex\b|\boct\b|\bdo\s+FILE/,
  },
  ruby: {
    spawns:
      /\bsystem\b|\bexec\b|`|%x|\bIO\s*\.\s*popen|\bOpen3\b|\bspawn\b|\bfork\b|\bProcess\b|\bPTY\b|\bKernel\b|\bopen\s*\(?\s*['"]\|/,
    removes:
      /\bFileUtils\s*\.\s*(?:rm|remove|mv|chmod)|\b(?:File|Dir|Pathname)\b[^;]{0,999}\.\s*(?:delete|unlink|rmdir|rmtree|truncate|chmod)|\brm_rf?\b/,
    connects: /\bNet::|\bTCPSocket|\bsocket\b|\bopen-uri\b|\bURI\s*\.\s*open|\bUDPSocket/,
    obscures:
      /\beval\b|\binstance_eval|\bpack\b|\bunpack1?\b|\bBase64\b|\bdecode64|\.send\b|\b__send__|\bpublic_send|\.chr\b|\.method\s*\(|\bconst_get\b|\.reverse\b|\.tr\s*\(|\bload\b|\bFiddle\b/,
  },
  php: {
    spawns: /\b(?:exec|system|shell_exec|passthru|proc_open|popen|pcntl_\w+)\b|`/,
    removes: /\b(?:unlink|rmdir|rename|ftruncate|chmod)\b/,
    connects: /\b(?:fsockopen|curl_\w+|stream_socket_\w+|mail)\b|['"](?:https?|ftp):\/\/(?!localhost|127)/,
    obscures:
      /\beval\b|\bassert\b|\bbase64_decode|\bhex2bin|\bstr_rot13|\bchr\b|\bpack\b|\bcreate_function|\bcall_user_func|\bgzinflate|\bstrrev|\$\w+\s*\(|\bpreg_replace\b.{0,999}\/e|\bimplode\b|\bFFI\b|\binclude\b|\brequire\b|\bdl\s*\(/,
  },
  lua: {
    spawns: /\bos\s*\.\s*execute|\bio\s*\.\s*popen|\bvim\s*\.\s*fn\s*\.\s*system|\bos\s*\[|\bio\s*\[/,
    removes: /\bos\s*\.\s*(?:remove|rename)/,
    connects: /\bsocket\b/,
    obscures:
      /\bload(?:string|file)?\s*\(|\bdofile\b|\bstring\s*\.\s*char|\bpackage\s*\.|\bdebug\s*\.|\b_G\b|:reverse\b|:char\b|\brequire\b|\bstring\s*\.\s*reverse/,
  },
  awk: {
    spawns: /\bsystem\s*\(|\|\s*&?\s*getline|\|\s*&?\s*"|"\s*\|\s*&?\s*getline|print[^;}]{0,999}\|\s*\S|\|\s*\w/,
    connects: /\/inet/,
    obscures: /@load|@include|sprintf\s*\(\s*"%c|ARGV\s*\[\s*\w+\s*\]\s*=/,
  },
  vim: {
    spawns:
      /^\s*[:|]?\s*(?:%|\d+|\.|\$|,|'<,'>)*!|\|\s*!|(?:^|[|\n])\s*:?\s*(?:\d+|%|[,.$])*(?:r|w|e|re|read|write)\s+!|\bsystem(?:list)?\s*\(|\bterm(?:inal)?\b|\bmake\b|\bpy(?:thon)?3?x?\b|\blua\b|\bperl\b|\bruby\b|\bjob_start|\bluaeval|\bpy3?eval/m,
    removes: /\bdelete\s*\(|\brename\s*\(/,
    obscures: /\bexe(?:cute)?\b|\bnr2char\b|\bsource\b|\bso\b/,
  },
  gdb: {
    // Commands can be abbreviated, so the list holds the harmless ones: `run` without arguments, and those that show something.
    spawns: new RegExp(`^(?!(?:\\s*(?:${GDB_READS})\\s*(?:\\n|$))*$)`),
    obscures: /\b(?!sizeof\b)[a-z_]\w*\s*\(/i,
  },
  sqlite: {
    spawns:
      /(?:^|\n)\s*\.(?:she?l?l?|sys?t?e?m?|loa?d?|rea?d?|(?:ou?t?p?u?t?|onc?e?|imp?o?r?t?)\b[^\n]{0,200}\||ex?c?e?l?|edi?t?|www?|arc?h?i?v?e?)\b|\bload_extension\b|\\!|\\copy\b[^\n]{0,999}\bprogram\b|\bto\s+program\b|\bsystem\b|\bedit\s*\(/i,
    removes: /\bwritefile\s*\(/i,
    obscures: /\breadfile\s*\(\s*[^'")]|\bchar\s*\(\s*\d+\s*,/i,
  },
};
