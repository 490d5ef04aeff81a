import { TOKENS_CSS } from '@klaus/core/design-tokens';

/** The style of a shared session: light or dark as the system, one column, readable on a phone and on paper. */
export const SHARE_STYLE = `
:root { ${TOKENS_CSS} }
* { box-sizing: border-box; }
body { margin: 0; background: var(--surface); color: var(--text);
  font: var(--text-p)/1.5 var(--font); overflow-wrap: anywhere; }
main { max-width: calc(var(--column) + 32px); margin: 0 auto; padding: var(--space-8) var(--space-4) var(--space-16); }
h1 { font-size: var(--text-xxl); line-height: 1.3; margin: 0 0 var(--space-2); }
h2 { font-size: var(--text-p); margin: var(--space-6) 0 var(--space-1); color: var(--text-muted); font-weight: 600; }
h3 { font-size: var(--text-xl); } h4, h5, h6 { font-size: var(--text-l); }
a { color: var(--accent); }
.facts, .fact { color: var(--text-muted); font-size: var(--text-m); }
.user { margin: var(--space-6) 0 0 auto; width: fit-content; max-width: 85%; padding: var(--space-3) var(--space-4); border-radius: var(--radius-l);
  background: var(--surface-sunken); white-space: pre-wrap; }
.user img { display: block; max-width: 100%; margin-top: var(--space-2); }
details { margin: var(--space-1) 0; border: 1px solid var(--line); border-radius: var(--radius); }
summary { padding: calc(var(--space-1) + 2px) var(--space-3); cursor: pointer; font-size: var(--text-m); }
details > div { padding: 0 var(--space-3) var(--space-3); }
code, pre, .path { font-family: var(--mono); font-size: var(--text-s); }
pre { margin: var(--space-2) 0; padding: var(--space-2) var(--space-3); overflow: auto; border-radius: var(--radius); background: var(--surface-sunken); white-space: pre-wrap; }
.diff { padding: 0; } .diff span { display: block; min-height: 1.5em; padding: 0 var(--space-3); }
.add { background: var(--good-soft); } .del { background: var(--bad-soft); }
.good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); } .muted { color: var(--text-muted); }
.end { margin: var(--space-4) 0; padding: var(--space-3) var(--space-4); border: 1px solid var(--line); border-radius: var(--radius-l); }
.end p { margin: var(--space-1) 0; }
.table { overflow: auto; } table { border-collapse: collapse; } th, td { padding: var(--space-1) var(--space-3); border: 1px solid var(--line); text-align: left; }
blockquote { margin: var(--space-2) 0; padding-left: var(--space-3); border-left: 3px solid var(--line); color: var(--text-muted); }
:focus-visible { outline: 2px solid var(--accent); }
@media print { details > div { display: block; } }
`;
