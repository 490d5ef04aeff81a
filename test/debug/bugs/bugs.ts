/** A bug of a published package that throws inside of it. */
export interface Bug {
  /** Name of the package in its registry. */
  name: string;
  buggy: string;
  fixed: string;
  /** The commit that fixed it; frame and variables are those that it changes. */
  commit: string;
  /** JavaScript: a module that imports `LIB`. Python: a program that imports the package. */
  code: string;
  frame: string;
  variables: readonly string[];
}

export const NPM_BUGS: readonly Bug[] = [
  {
    name: 'express',
    buggy: '4.19.0',
    fixed: '4.19.1',
    commit: 'expressjs/express a003cfab034fbadb1c78ae337ee8ab389adda217',
    code: 'import express from "LIB"; const res = Object.setPrototypeOf({ req: {}, setHeader() {}, getHeader() {} }, express().response); res.location(new URL("http://a.b/c"));',
    frame: 'location',
    variables: ['loc', 'url'],
  },
  {
    name: 'ws',
    buggy: '8.17.0',
    fixed: '8.17.1',
    commit: 'websockets/ws e55e5106f10fcbaac37cfa89759e4cc0d073a52c',
    code: 'import { WebSocketServer } from "LIB"; import { PassThrough } from "node:stream"; new WebSocketServer({ noServer: true }).handleUpgrade({ headers: {}, method: "GET", url: "/" }, new PassThrough(), Buffer.alloc(0), () => {});',
    frame: 'handleUpgrade',
    variables: ['key', 'req'],
  },
  {
    name: 'yaml',
    buggy: '2.7.0',
    fixed: '2.7.1',
    commit: 'eemeli/yaml 9cf06d2a62c6f591516f74bdbb8b0965e1961ebd',
    code: 'import { parseDocument } from "LIB"; parseDocument("? ? !!binary ? !!binary").toJS();',
    frame: 'stringify',
    variables: ['value', 'type'],
  },
  {
    name: 'yaml',
    buggy: '2.3.2',
    fixed: '2.3.3',
    commit: 'eemeli/yaml 69d881c96443b6cb9aa8d8f65cf615f4b1015b98',
    code: 'import { parseDocument } from "LIB"; parseDocument("!!%ee 0");',
    frame: 'tagName',
    variables: ['suffix', 'prefix', 'handle'],
  },
  {
    name: 'yaml',
    buggy: '2.2.1',
    fixed: '2.3.0',
    commit: 'eemeli/yaml a67a019afe9c8f785fdfd6255b6b69d97a8bd385',
    code: 'import { parseDocument } from "LIB"; parseDocument("[" + "\\r".repeat(80), { prettyErrors: true });',
    // The function that `prettifyError` returns has no name.
    frame: '',
    variables: ['count', 'ci', 'col'],
  },
  {
    name: 'yaml',
    buggy: '2.0.0-6',
    fixed: '2.0.0',
    commit: 'eemeli/yaml 7a8b7385d8fa3903b62c7a14959731219a614928',
    code: 'import { parseDocument } from "LIB"; parseDocument("%");',
    frame: 'parsePrelude',
    variables: ['prelude', 'i'],
  },
  {
    name: 'semver',
    buggy: '6.1.1',
    fixed: '6.1.2',
    commit: 'npm/node-semver 2efe76d294aa5bf2d48ca122b2c234078d8ce150',
    code: 'import semver from "LIB"; new semver.Range(">=2").test("glorp");',
    frame: 'test',
    variables: ['version'],
  },
  {
    name: 'qs',
    buggy: '6.15.1',
    fixed: '6.15.2',
    commit: 'ljharb/qs 21f80b33e5c8b3f7eba1034fff0da4a4a37a1d41',
    code: 'import qs from "LIB"; qs.stringify({ a: [null, "b"] }, { arrayFormat: "comma", encodeValuesOnly: true });',
    frame: 'stringify',
    variables: ['obj', 'encoder', 'encodeValuesOnly'],
  },
  {
    name: 'qs',
    buggy: '6.15.1',
    fixed: '6.15.2',
    commit: 'ljharb/qs 0c180a40adb8c6703fffc85b2ff06ca209f5c1e0',
    code: 'import qs from "LIB"; qs.stringify({ a: "b", null: "x" }, { filter: ["a", null] });',
    frame: 'exports',
    variables: ['key', 'objKeys'],
  },
  {
    name: 'qs',
    buggy: '6.13.0',
    fixed: '6.14.0',
    commit: 'ljharb/qs 96f4d93e171ada73cb466a5abe3ac23c9ed4217a',
    code: 'import qs from "LIB"; qs.stringify({ a: { b: 1 } }, { filter: ["a", null] });',
    frame: 'stringify',
    variables: ['key', 'objKeys'],
  },
  {
    name: 'qs',
    buggy: '6.13.0',
    fixed: '6.14.0',
    commit: 'ljharb/qs ca55d0f8653f88d92c78cbdbb7d590a30ab71fb3',
    code: 'import qs from "LIB"; qs.parse("b&a[]=1,%26%239786%3B", { comma: true, charset: "iso-8859-1", interpretNumericEntities: true });',
    frame: 'parseQueryStringValues',
    variables: ['val', 'options', 'charset'],
  },
  {
    name: 'qs',
    buggy: '6.13.0',
    fixed: '6.14.0',
    commit: 'ljharb/qs 99fd543b666387fb77281ccb82d0c6b13906ec36',
    code: 'import qs from "LIB"; qs.stringify({ a: "b", false: {} }, { filter: ["a", false], allowDots: true, encodeDotInKeys: true });',
    frame: 'stringify',
    variables: ['prefix', 'encodeDotInKeys'],
  },
  {
    name: 'markdown-it',
    buggy: '12.0.3',
    fixed: '12.0.4',
    commit: 'markdown-it/markdown-it c9dd942246f7dd991fb3c8fc86b42edcbce4d949',
    code: 'import MarkdownIt from "LIB"; new MarkdownIt().render("-~~~~;~~~~~~");',
    frame: 'processDelimiters',
    variables: ['openerIdx', 'closer', 'delimiters'],
  },
];

export const PYPI_BUGS: readonly Bug[] = [
  {
    name: 'packaging',
    buggy: '22.0',
    fixed: '23.0',
    commit: 'pypa/packaging 5c70ed4f983c4b27e67c34fe67266e1514484bf0',
    code: 'from packaging.markers import Marker\nMarker(\'extra == "im_valid"\').evaluate({"extra": None})',
    frame: 'evaluate',
    variables: ['current_environment', 'environment'],
  },
  {
    name: 'humanize',
    buggy: '4.3.0',
    fixed: '4.4.0',
    commit: 'python-humanize/humanize b1ee6875820839a59f1b6f4a5fedc7cad8883834',
    code: 'import humanize\nhumanize.metric(0)',
    frame: 'metric',
    variables: ['value'],
  },
  {
    name: 'humanize',
    buggy: '4.3.0',
    fixed: '4.4.0',
    commit: 'python-humanize/humanize 33005e5abf19a5a1f0dd33441d73ff43fa906ca5',
    code: 'import humanize\nhumanize.intcomma("1234567", 1)',
    frame: 'intcomma',
    variables: ['value', 'ndigits'],
  },
  {
    name: 'python-dateutil',
    buggy: '2.8.1',
    fixed: '2.8.2',
    commit: 'dateutil/dateutil 79d2e486a34911ada6d81701f14dd3c4b9790afd',
    code: 'from dateutil.parser import parse\ntry:\n    parse("0-100")\nexcept ValueError:\n    pass',
    frame: 'parse',
    variables: ['timestr', 'default'],
  },
];
