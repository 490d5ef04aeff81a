/**
 * Settings for how git stores, compares and shows content. None of them makes git run, read or write other files.
 *
 * @source git-config(1), the list of variables
 */
const HARMLESS: Readonly<Record<string, RegExp>> = {
  core: /^(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|abbrev|compression)$/,
  extensions: /^(objectformat|worktreeconfig)$/,
  user: /^(name|email)$/,
  init: /^defaultbranch$/,
  remote: /^(url|pushurl|fetch|push|tagopt|prune)$/,
  branch: /^(remote|merge|rebase|description)$/,
  submodule: /^(url|active|branch|ignore)$/,
  pull: /^(rebase|ff)$/,
  push: /^(default|autosetupremote|followtags)$/,
  fetch: /^prune$/,
  merge: /^(ff|conflictstyle)$/,
  rebase: /^(autostash|autosquash)$/,
  gc: /^auto$/,
  lfs: /^repositoryformatversion$/,
};

export interface GitSettings {
  /** The configuration with its harmless settings only. */
  kept: string;
  /** Names of the removed settings. */
  refused: string[];
  /** The removed lines, each with its section. */
  refusedLines: string[];
}

/** Separates the settings of a git configuration file. A line that is written in an unusual way is refused. */
export function readGitSettings(text: string): GitSettings {
  const kept: string[] = [];
  const refused = new Set<string>();
  const refusedLines: string[] = [];
  let section = '';
  let header = '';
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    const [, name, subsection] = /^\[([a-z]+)(?: "([^"\\\]]*)")?\]$/i.exec(trimmed) ?? [];
    if (name !== undefined) {
      section = name.toLowerCase();
      header = trimmed;
      if (HARMLESS[section]) kept.push(`[${section}${subsection === undefined ? '' : ` "${subsection}"`}]`);
      continue;
    }
    if (trimmed === '' || /^[#;][^\\]*$/.test(trimmed)) continue;
    const [, key, value] = /^([a-z][a-z0-9-]*)\s*=\s*([^\\\n]*)$/i.exec(trimmed) ?? [];
    const isHarmless = key !== undefined && HARMLESS[section]?.test(key.toLowerCase()) === true;
    if (isHarmless && !/^"?(ext|fd)::/i.test(value!)) kept.push(`\t${key} = ${value}`);
    else {
      refused.add(key === undefined ? 'a line that is not understood' : `${section}.${key}`);
      refusedLines.push(`${header} ${trimmed}`);
    }
    // An unknown line may begin a section of its own.
    if (key === undefined) section = '';
  }
  return { kept: kept.length > 0 ? `${kept.join('\n')}\n` : '', refused: [...refused], refusedLines };
}
