/**
 * Why a path of a workspace is protected.
 * - `git`: git's own data; hooks and configuration in it run on the user's next `git status`
 * - `klaus`: what configures Klaus itself
 * - `agent`: what configures, or instructs, an agent or an editor that opens the folder
 * - `startup`: what a shell, an interpreter, a debugger or a build tool loads when it starts
 * - `hook`: what git hooks run
 * - `ci`: what a build server runs
 */
export type ProtectedPlace = 'git' | 'klaus' | 'agent' | 'startup' | 'hook' | 'ci';

/** One place that a tool runs or obeys as soon as a person opens or uses the folder. */
export interface PlaceRow {
  /**
   * Path from any folder of the workspace, in lower case; `*` matches any part of a name. Paths below it
   * belong to it. A pattern that ends with `/.` names the folder itself and not what is in it.
   */
  pattern: string;
  place: ProtectedPlace;
  /** Which tool loads it, and when. */
  why: string;
  source: string;
  /** True if no command of the sandbox can change it in the workspace's own folder. */
  isHeld: boolean;
  /** True if only a new file is protected: where there is one, it is a file of daily work. */
  isNewOnly: boolean;
}

/**
 * One line for each tool: patterns, which tool loads them and when, where that is documented. A `!` before a pattern: it
 * is held read-only for commands. A `+`: only a new file is protected.
 *
 * A place is listed when the tool obeys it without a further decision of the person: files that name programs, load
 * code, add instructions for an agent or redirect downloads. Files that developers edit all day and whose content they
 * run on purpose are not: `package.json`, `Makefile`, `vite.config.ts`, `eslint.config.js`, `conftest.py`, `build.rs`,
 * `Dockerfile`, `flake.nix`, `pyproject.toml`, `app.json` of Expo (it names plugins, which a person's build loads), `.gitattributes` (its filters have to be configured elsewhere),
 * `.nvmrc` (a version alone).
 */
const TABLES: Readonly<Record<ProtectedPlace, string>> = {
  git: `
.git | git reads configuration and hooks at every command; .git/info/attributes chooses filters | https://git-scm.com/docs/gitrepository-layout
`,
  klaus: `
.klaus | Klaus: settings, policy, instructions | docs/reference/settings.md
`,
  agent: `
!.mcp.json | Claude Code and others start the servers that it names | https://code.claude.com/docs/en/mcp
!.claude claude.md claude.local.md | Claude Code: hooks, permissions, instructions | https://code.claude.com/docs/en/settings
!.codex codex.md agents.override.md | Codex: configuration, hooks, instructions | https://developers.openai.com/codex/config-reference
agents.md agent.md agents.local.md | instructions that most agents read | https://agents.md
!.agents !.agent | Amp, Codex, Antigravity: skills, rules, workflows | https://ampcode.com/manual
!.cursor .cursorrules | Cursor: rules, hooks, MCP servers | https://cursor.com/docs/context/rules
!.gemini gemini.md | Gemini CLI: settings, hooks, MCP servers, instructions | https://geminicli.com/docs/reference/configuration
!.qwen qwen.md | Qwen Code: settings, MCP servers, instructions | https://qwenlm.github.io/qwen-code-docs/
!.iflow iflow.md | iFlow CLI: settings, MCP servers, instructions | https://platform.iflow.cn/en/cli/
!.opencode opencode.json opencode.jsonc | OpenCode: plugins, MCP servers, commands, instructions | https://opencode.ai/docs/config
!.continue .continuerc.json .continuerules | Continue: rules, MCP servers | https://docs.continue.dev/reference
!.windsurf .windsurfrules !.codeium | Windsurf: rules, workflows, hooks | https://docs.windsurf.com/windsurf/cascade/memories
.clinerules !.cline | Cline: rules, workflows, hooks | https://docs.cline.bot/features/cline-rules
!.roo .roorules* .roomodes | Roo Code: rules, modes, MCP servers | https://docs.roocode.com/features/custom-instructions
!.kilocode .kilocoderules .kilocodemodes kilo.json kilo.jsonc | Kilo Code: rules, modes, MCP servers | https://kilocode.ai/docs/customize/custom-rules
!.kiro | Kiro: hooks, steering, MCP servers | https://kiro.dev/docs/hooks/
!.amazonq | Amazon Q: rules, agents, MCP servers | https://docs.aws.amazon.com/amazonq/latest/qdeveloper-ug/context-project-rules.html
!.junie | Junie: guidelines, MCP servers | https://www.jetbrains.com/help/junie/customize-guidelines.html
!.trae | Trae: rules, MCP servers | https://docs.trae.ai/ide/rules
!.augment .augment-guidelines .augmentrules | Augment: rules, commands | https://docs.augmentcode.com/setup-augment/guidelines
!.qoder | Qoder: rules | https://docs.qoder.com/user-guide/rules
!.codebuddy codebuddy.md | CodeBuddy: hooks, rules, instructions | https://www.codebuddy.ai/docs/cli/settings
!.factory | Factory: droids, commands, hooks, MCP servers | https://docs.factory.ai/cli/configuration/settings
!.amp | Amp: settings, MCP servers | https://ampcode.com/manual
!.openhands .openhands_instructions | OpenHands: setup script, hooks, instructions | https://docs.openhands.dev/openhands/usage/customization/repository
!.goose .goosehints | Goose: hints, recipes | https://goose-docs.ai/docs/guides/context-engineering/using-goosehints
!.pi | pi: extensions, prompts, settings | https://github.com/earendil-works/pi
!.crush crush.json .crush.json crush.md | Crush: MCP and language servers, instructions | https://github.com/charmbracelet/crush
!.zencoder | Zencoder: rules | https://docs.zencoder.ai/rules-context/zen-rules
!.firebender firebender.json | Firebender: rules, MCP servers | https://docs.firebender.com/context/rules
!.tabnine | Tabnine: guidelines, MCP servers | https://docs.tabnine.com/main/getting-started/tabnine-agent/guidelines
.aider* | aider: commands to run (lint-cmd, test-cmd), model settings | https://aider.chat/docs/config/aider_conf.html
gptme.toml | gptme: prompt, plugins, context command | https://gptme.org/docs/config.html
!.aiassistant !.lingma !.rovodev !.serena !.specify !.grok !.vibe !.cody !.sourcegraph .ai/guidelines .agent.md | JetBrains AI Assistant, Lingma, Rovo Dev, Serena, Spec Kit, Grok, Vibe, Cody: rules, commands, instructions | https://www.jetbrains.com/help/ai-assistant/configure-project-rules.html
!.superset conductor.json | Superset, Conductor: commands when the workspace of an agent is made | https://docs.conductor.build/
warp.md | Warp: instructions | https://docs.warp.dev/knowledge-and-collaboration/rules
.codebuff codebuff.json +knowledge.md .hydra.json .letta .deepagents forge.yaml .forge .plandex .cagent cagent.yaml cagent.yml .refact .eca | Codebuff, Hydra, Letta, Deep Agents, Forge, Plandex, cagent, Refact, ECA: instructions, hooks, commands at the start, MCP servers | https://www.codebuff.com/docs
.mux .neovate .kode .pochi .adal .commandcode .cortex .mcpjam .bob | further agents: instructions, skills, hooks, MCP servers | https://github.com/vercel-labs/skills
copilot-instructions.md .github/instructions .github/prompts .github/chatmodes .github/agents .github/hooks .github/skills .github/copilot .github/mcp.json .github/lsp.json | GitHub Copilot: instructions, agents, hooks | https://docs.github.com/en/copilot/how-tos/configure-custom-instructions
.coderabbit.yaml .coderabbit.yml .pr_agent.toml .qodo sweep.yaml sweep.yml .sweep.yaml .sweep.yml ellipsis.yaml greptile.json .greptile .cursor-plugin .claude-plugin .codex-plugin .gitlab/duo | CodeRabbit, Qodo, Sweep, Ellipsis, Greptile, GitLab Duo, plugins of agents: instructions and commands for what reviews or works on pull requests | https://docs.coderabbit.ai/reference/configuration
.ruler .rulesync rulesync.jsonc .ai-rules .devin .kimi .taskmaster mcp.json .mcp .warp | tools that write the instructions of other agents, Devin, Kimi, Task Master, Warp: servers, workflows | https://github.com/intellectronica/ruler
.vscode/. !.vscode/tasks.json !.vscode/settings.json !.vscode/launch.json .vscode/extensions.json .vscode/mcp.json .vscode/extensions .vscode/c_cpp_properties.json .vscode/cmake-kits.json .vscode/sftp.json | VS Code: tasks that run when the folder opens, paths of programs and compilers, servers, extensions of the workspace | https://code.visualstudio.com/docs/editing/workspaces/workspace-trust
*.code-workspace | VS Code: settings, tasks, launch configurations of a workspace | https://code.visualstudio.com/docs/editing/workspaces/workspaces
.vs | Visual Studio: tasks.vs.json, launch.vs.json | https://learn.microsoft.com/en-us/visualstudio/ide/customize-build-and-debug-tasks-in-visual-studio
properties/launchsettings.json *.csproj.user *.vcxproj.user *.fsproj.user *.vbproj.user omnisharp.json .omnisharp | Visual Studio, OmniSharp: programs that are started, assemblies that are loaded | https://learn.microsoft.com/en-us/visualstudio/containers/container-launch-settings
!.theia | Theia: settings, tasks | https://theia-ide.org/docs/user_ai/
.idea .run *.ipr *.iws .ijwb .clwb .aswb .bazelproject .bazelbsp | JetBrains: startup tasks, run configurations, paths of programs | https://www.jetbrains.com/help/idea/project-security.html
!.fleet | Fleet: run configurations, settings | https://www.jetbrains.com/help/fleet/getting-started-with-run-configurations.html
!.zed .rules | Zed: settings with programs of language servers, tasks, instructions | https://zed.dev/docs/worktree-trust
!.helix | Helix: programs of language servers and formatters | https://docs.helix-editor.com/configuration.html
!.nova | Nova: tasks, settings | https://help.nova.app/tasks/tasks/
*.sublime-project sftp-config.json .ftpconfig .remote-sync.json .atom-build.* | Sublime Text: build systems, settings of plugins; servers to which editors upload | https://www.sublimetext.com/docs/projects.html
.exrc .vimrc _vimrc .gvimrc .vimrc.local .lvimrc .local.vimrc | Vim with 'exrc', and its plugins for local settings | https://vimhelp.org/options.txt.html#%27exrc%27
session.vim .session.vim *.session.vim .vimprj .project.vim .vim/vimrc .vim/plugin .vim/ftplugin .vim/autoload .vim/tasks.ini .tasks | Vim: a session is a script, which plugins load when the folder opens; tasks of plugins | https://vimhelp.org/usr_21.txt.html#21.4
.nvimrc .nvim.lua .nvim/init.lua .config/nvim | Neovim with 'exrc' | https://neovim.io/doc/user/options.html#'exrc'
.lazy.lua .nvim-dap.lua .nlsp-settings | lazy.nvim, nvim-dap, nlsp-settings: Lua code, programs of debuggers and language servers | https://lazy.folke.io/configuration
.vim/coc-settings.json .neoconf.json | coc.nvim, neoconf: programs of language servers | https://github.com/neoclide/coc.nvim/wiki/Using-the-configuration-file
.ycm_extra_conf.py | YouCompleteMe: Python code | https://github.com/ycm-core/YouCompleteMe#the-gycm_confirm_extra_conf-option
.dir-locals.el .dir-locals-2.el .emacs .emacs.d .emacs.desktop | Emacs: local variables with eval, init files | https://www.gnu.org/software/emacs/manual/html_node/emacs/Directory-Variables.html
.lite_project.lua | Lite XL: Lua code | https://lite-xl.com/user-guide/configuration/
.kateproject .kateproject.build | Kate: programs of language servers, build targets | https://docs.kde.org/stable5/en/kate/kate/kate-application-plugin-projects.html
.externaltoolbuilders .settings .cproject .factorypath | Eclipse: programs that a build runs | https://help.eclipse.org/latest/topic/org.eclipse.platform.doc.user/gettingStarted/qs-96_non_ant_pp.htm
.lsp/config.edn | clojure-lsp: a command that it runs on opening | https://clojure-lsp.io/settings/
.ropeproject .jedi .phpactor.json .phpactor.yml .solargraph.yml .ruby-lsp .sourcekit-lsp rust-analyzer.toml .rust-analyzer.toml .merlin | Rope, Jedi, Phpactor, Solargraph, Ruby LSP, SourceKit-LSP, rust-analyzer, Merlin: code or programs of language servers | https://github.com/python-rope/rope/blob/master/docs/configuration.rst
*.xcscheme .xcode.env .xcode.env.local .tm_properties .kakrc .nanorc | Xcode, TextMate, Kakoune, nano: actions before a build, variables, commands | https://developer.apple.com/documentation/xcode/customizing-the-build-schemes-for-a-project
.project nbproject .lapce *.geany *.pro.user cmakelists.txt.user *.sublime-build | Eclipse, NetBeans, Lapce, Geany, Qt Creator, Sublime Text: commands of a project | https://help.eclipse.org/latest/topic/org.eclipse.platform.doc.isv/guide/resInt_natures.htm
.ddev .lando.yml .lando.local.yml | DDEV, Lando: hooks that run on the host | https://docs.ddev.com/en/stable/users/configuration/hooks/
.bsp | Metals, IntelliJ: the build server to start | https://build-server-protocol.github.io/docs/overview/server-discovery
hie.yaml | Haskell Language Server: the program that reports flags | https://github.com/haskell/hie-bios
.devcontainer .devcontainer.json | Dev Containers: initializeCommand runs on the host | https://containers.dev/implementors/json_reference/
devfile.yaml .devfile.yaml .daytona .tugboat | Che, Daytona, Tugboat: commands at the start | https://devfile.io/docs/2.3.0/adding-event-bindings
.gitpod .gitpod.yml .ona | Gitpod: tasks that run at the start | https://www.gitpod.io/docs/classic/user/references/gitpod-yml
.idx .codesandbox .stackblitzrc .replit replit.nix replit.md .bolt | online editors: commands that run at the start, instructions of their agents | https://firebase.google.com/docs/studio/devnix-reference
`,
  startup: `
.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .inputrc .ssh | bash, in a workspace that is a home folder | https://www.gnu.org/software/bash/manual/html_node/Bash-Startup-Files.html
.zshrc .zshenv .zprofile .zlogin .zlogout | zsh | https://zsh.sourceforge.io/Doc/Release/Files.html
.kshrc .cshrc .tcshrc .login .xinitrc .xprofile .xsessionrc .pam_environment | other shells and sessions | https://man.archlinux.org/man/tcsh.1
.config/fish | fish | https://fishshell.com/docs/current/language.html#configuration-files
.xonshrc .config/nushell .config/xonsh .config/elvish | xonsh, Nushell, Elvish | https://xon.sh/xonshrc.html
.xsession .forward .procmailrc .config/autostart .config/systemd .config/environment.d .config/plasma-workspace .local/share/applications library/launchagents | programs at sign-in and for mail, in a workspace that is a home folder | https://specifications.freedesktop.org/autostart-spec/latest/
*_profile.ps1 | PowerShell | https://learn.microsoft.com/en-us/powershell/module/microsoft.powershell.core/about/about_profiles
.config/git .gitconfig .gitmodules | git: programs that it starts, where submodules come from | https://git-scm.com/docs/git-config
.lfsconfig | Git LFS: the server that downloads and credentials go to | https://github.com/git-lfs/git-lfs/blob/main/docs/man/git-lfs-config.adoc
.netrc .curlrc .wgetrc | curl, wget: credentials, proxies, output files | https://everything.curl.dev/cmdline/configfile.html
.envrc .direnv | direnv, when a shell enters the folder | https://direnv.net/man/direnv.1.html
mise.toml .mise.toml mise.*.toml .mise.*.toml .mise mise/config.toml .config/mise .config/mise.toml .rtx.toml | mise: hooks and environment, when a shell enters the folder | https://mise.jdx.dev/configuration.html
mise-tasks .mise-tasks .sdkmanrc | mise, SDKMAN: tasks, versions by which programs are chosen | https://mise.jdx.dev/tasks/file-tasks.html
.miserc.toml .config/miserc.toml .prototools .vfox.toml .flox pkgx.yaml .pkgx.yaml bin/hermit bin/hermit.hcl bin/activate-hermit | mise, proto, vfox, Flox, pkgx, Hermit: settings, plugins and programs, when a shell enters the folder | https://mise.jdx.dev/configuration/settings.html
.shadowenv.d .smartcd_enter .smartcd_leave | Shadowenv, smartcd: shell code or variables, when a shell enters the folder | https://shopify.github.io/shadowenv/
.tool-versions | asdf and mise: path: names a folder of programs | https://asdf-vm.com/manage/configuration.html
.autoenv .autoenv.zsh .rvmrc .powrc .powenv .rbenv-vars | autoenv, RVM, Pow, rbenv: shell code or variables, when a shell enters the folder | https://github.com/hyperupcall/autoenv
.luarc.json .luarc.jsonc | Lua Language Server: runtime.plugin is Lua code | https://luals.github.io/wiki/settings/
.vimspector.json | Vimspector: programs of debug adapters | https://puremourning.github.io/vimspector/configuration.html
.tmuxinator.yml .tmuxinator.yaml .tmuxp.yaml .tmuxp.json .tmux.conf .screenrc .smug.yml .smug.yaml .teamocil | tmuxinator, tmuxp: commands of a session | https://github.com/tmuxinator/tmuxinator#project-configuration-location
.npmrc | npm: script-shell, registries | https://docs.npmjs.com/cli/configuring-npm/npmrc
.yarnrc .yarnrc.yml .yarn/releases .yarn/plugins .yarn/sdks .pnp.cjs .pnp.js .pnp.loader.mjs | Yarn: its own code, plugins, the loader of every script | https://yarnpkg.com/configuration/yarnrc
.pnpmfile.cjs .pnpmfile.mjs pnpmfile.js pnpm-workspace.yaml | pnpm: code at every install, the shell of scripts | https://pnpm.io/pnpmfile
bunfig.toml .bunfig.toml | Bun: preload runs before every script | https://bun.sh/docs/runtime/bunfig
sitecustomize.py usercustomize.py | Python: every start with the folder on its path | https://docs.python.org/3/library/site.html
pip.conf pip.ini uv.toml poetry.toml pdm.toml .pdm.toml .pdm-python | pip, uv, Poetry, PDM: package indexes, the interpreter that they start | https://pip.pypa.io/en/stable/topics/configuration/
.pdbrc | pdb: commands at its start | https://docs.python.org/3/library/pdb.html
+tox.ini +noxfile.py | tox, nox, and editors that look for tests: commands and code, of a project that had none | https://tox.wiki/en/latest/config.html
ipython_config.py ipython_kernel_config.py jupyter_*config.py .ipython | IPython, Jupyter: Python code | https://ipython.readthedocs.io/en/stable/config/intro.html
.gdbinit gdbinit .gdbearlyinit *-gdb.py *-gdb.gdb | gdb: commands and Python code | https://sourceware.org/gdb/current/onlinedocs/gdb.html/Startup.html
.lldbinit .lldbinit-* | lldb: commands and Python code | https://lldb.llvm.org/man/lldb.html#configuration-files
.radare2rc .rizinrc .octaverc .ocamlinit .ghci .erlang .iex.exs .psysh.php .sqliterc .psqlrc | interpreters that read a file of the folder at their start | https://downloads.haskell.org/ghc/latest/docs/users_guide/ghci.html#the-ghci-and-haskeline-files
.perldb .proverc .jrubyrc .sbclrc .clisprc .guile .tclshrc .wishrc .swiplrc .utoprc startup.m .gnuplot maxima-init.mac maxima-init.lisp .julia/config/startup.jl .duckdbrc .mongorc.js .mongoshrc.js .redisclirc .ackrc | further interpreters, consoles of databases, ack (a pager): what they load at their start | https://perldoc.perl.org/perldebug#Debugger-Customization
.irbrc .pryrc .byebugrc .rdbgrc .gemrc .bundle | Ruby: irb, pry, debuggers, Bundler | https://bundler.io/man/bundle-config.1.html
.rprofile .renviron .rdata | R: code and objects at every start | https://rstats.wtf/r-startup
.cargo/config.toml .cargo/config rust-toolchain rust-toolchain.toml | cargo, rustup, rust-analyzer: wrappers, runners, a folder of programs | https://doc.rust-lang.org/cargo/reference/config.html
.mvn gradle/wrapper gradlew gradlew.bat mvnw mvnw.cmd mill mill.bat pleasew .sbtopts .sbtrc .jvmopts .mill-jvm-opts .mill-opts .mill-version gradle/gradle-daemon-jvm.properties init.gradle init.gradle.kts .gradle/init.d .gradle/gradle.properties .gradle/config.properties | Maven, Gradle, sbt: extensions, agents of the JVM, the program that an import runs | https://maven.apache.org/configure.html
.bazelrc *.bazelrc .bazelrc.* tools/bazel.rc .bazeliskrc .bazelversion tools/bazel .aspect .buckversion .buckjavaargs .buckconfig .buckconfig.local .buckconfig.d | Bazel, Aspect, Buck: wrappers, plugins and commands of every build | https://bazel.build/run/bazelrc
.pants.rc .pants.bootstrap .plzconfig .plzconfig.* .moon .nx/nxw.js .conanrc dub.settings.json | Pants, Please, moon, Nx, Conan, DUB: options, shell code, hooks and wrappers of every build | https://www.pantsbuild.org/stable/docs/using-pants/key-concepts/options
config.nims nim.cfg *.nims *.nim.cfg | Nim: scripts and options of every compilation, also of the language server | https://nim-lang.org/docs/nims.html
nuget.config directory.build.rsp msbuild.rsp | NuGet, MSBuild: sources, options of every build | https://learn.microsoft.com/en-us/nuget/reference/nuget-config-file
ansible.cfg | Ansible: paths of plugins | https://docs.ansible.com/ansible/latest/reference_appendices/config.html
+compose.override.yaml +compose.override.yml +docker-compose.override.yaml +docker-compose.override.yml +docker-bake.override.json +docker-bake.override.hcl | Docker Compose, Buildx: merged into every command of the project | https://docs.docker.com/compose/how-tos/multiple-compose-files/merge/
+override.tf +override.tf.json +*_override.tf +*_override.tf.json +*_override.tofu .terraformrc terraform.rc | Terraform, OpenTofu: merged into the other files of the folder; mirrors and plugins | https://developer.hashicorp.com/terraform/language/files/override
+directory.build.props +directory.build.targets +directory.solution.props +directory.solution.targets +before.*.sln.targets +after.*.sln.targets | MSBuild, and editors that load the project: code in every build below the folder | https://learn.microsoft.com/en-us/visualstudio/msbuild/customize-by-directory
+gnumakefile | GNU make prefers it to the Makefile of the project | https://www.gnu.org/software/make/manual/html_node/Makefile-Names.html
+cmakepresets.json +cmakeuserpresets.json | CMake, and editors that configure a project when it opens: toolchains, compilers, variables | https://cmake.org/cmake/help/latest/manual/cmake-presets.7.html
+cabal.project.local +local.properties +.pyre_configuration | Cabal, Android Studio, Pyre: programs and options of this machine | https://cabal.readthedocs.io/en/stable/cabal-project-description-file.html
.kitchen.local.yml .kitchen.local.yaml kitchen.local.yml kitchen.local.yaml .overmind.env .foreman | Test Kitchen, Overmind, Foreman: merged into every command of the project | https://kitchen.ci/docs/reference/configuration/
+config/spring.rb +.rspec +.simplecov +.yardopts | Spring, RSpec, SimpleCov, YARD: Ruby code that every command loads | https://github.com/rails/spring#configuration
latexmkrc .latexmkrc | latexmk, which editors run on saving: Perl code | https://ctan.org/pkg/latexmk
.luacheckrc +.pylintrc +pylintrc .phan/config.php .tern-project +.golangci.yml +.golangci.yaml +.golangci.toml +.golangci.json .custom-gcl.yml +.rubocop.yml +.markdownlint-cli2.* | linters and language servers that editors start: code and plugins in their configuration | https://luacheck.readthedocs.io/en/stable/config.html
.nrepl.edn .lein-env profiles.clj .valgrindrc | Clojure, Valgrind: what is loaded at every start | https://nrepl.org/nrepl/usage/server.html
.user.ini wp-cli.yml wp-cli.local.yml | PHP: code before every script | https://www.php.net/manual/en/configuration.file.per-user.php
`,
  hook: `
.husky .huskyrc* husky.config.* .githooks .git-hooks .hooks rusty-hook.toml .rusty-hook.toml .simple-git-hooks.* simple-git-hooks.* | git hooks that a project keeps in its files | https://typicode.github.io/husky/
.pre-commit-config.yaml .pre-commit-config.yml prek.toml | pre-commit, prek | https://pre-commit.com/#adding-pre-commit-plugins-to-your-project
.trunk | Trunk: linters and actions, in git hooks and in editors | https://docs.trunk.io/code-quality/overview/cli/getting-started/actions/git-hooks
lefthook.yml lefthook.yaml lefthook.toml lefthook.json .lefthook.yml .lefthook.yaml .lefthook.toml .lefthook.json lefthook-local.* .lefthook-local.* .config/lefthook.* .lefthook .lefthook-local | Lefthook | https://lefthook.dev/configuration/
.lintstagedrc* lint-staged.config.* .nano-staged.* nano-staged.* .commitlintrc* commitlint.config.* .gitlint cog.toml | lint-staged, nano-staged, commitlint, gitlint, Cocogitto | https://github.com/lint-staged/lint-staged#configuration
.overcommit.yml .local-overcommit.yml grumphp.yml grumphp.yml.dist captainhook.json hk.pkl | Overcommit, GrumPHP, CaptainHook, hk | https://github.com/sds/overcommit
.czrc .cz.json .cz-config.js .cz-config.cjs +.cz.toml +.cz.yaml +.versionrc* +.release-it.* +.bumpversion.* | Commitizen, standard-version, release-it, bump-my-version: code and commands at a commit or a release | https://github.com/commitizen/cz-cli#making-your-repo-commitizen-friendly
.hg/hgrc .hg/hgrc-not-shared .jj/repo/config.toml .sl/config .pijul/config _darcs/prefs .fossil-settings | Mercurial, Jujutsu, Sapling, Pijul, Darcs, Fossil: hooks and aliases | https://www.mercurial-scm.org/help/topics/config
.arcconfig .arclint .arcunit .reviewboardrc .gitreview | Arcanist, Review Board, git-review: code that they load, the server that changes go to | https://secure.phabricator.com/book/phabricator/article/arcanist_new_project/
`,
  ci: `
.github/workflows .github/actions | GitHub Actions | https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax
codeowners | GitHub, GitLab, Bitbucket: who must approve a change | https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners
.github/dependabot.yml .github/dependabot.yaml renovate.json renovate.json5 .renovaterc* | Dependabot, Renovate: registries, automatic merges, commands after an update | https://docs.renovatebot.com/configuration-options/
.github/settings.yml .github/settings.yaml .github/codeql .mergify.yml .mergify .github/mergify.yml .kodiak.toml .bulldozer.yml .policy.yml bors.toml .asf.yaml | apps of a forge: protection of branches, automatic merges, what is scanned | https://docs.mergify.com/configuration/file-format/
.gitea .forgejo | Gitea Actions, Forgejo Actions | https://forgejo.org/docs/latest/user/actions/reference/
.gitlab-ci.yml .gitlab-ci.yaml .gitlab-ci.d .gitlab-ci-*.yml .gitlab/ci .gitlab/agents | GitLab CI | https://docs.gitlab.com/ci/yaml/
.circleci | CircleCI | https://circleci.com/docs/configuration-reference/
.buildkite | Buildkite | https://buildkite.com/docs/pipelines/configure
.woodpecker .woodpecker.yml .woodpecker.yaml | Woodpecker | https://woodpecker-ci.org/docs/usage/workflow-syntax
.drone.yml .drone.star .drone.jsonnet | Drone | https://docs.drone.io/pipeline/overview/
.cirrus.yml .cirrus.star | Cirrus CI | https://cirrus-ci.org/guide/writing-tasks/
.travis.yml | Travis CI | https://docs.travis-ci.com/user/tutorial/
jenkinsfile jenkinsfile.* *.jenkinsfile .jenkins | Jenkins | https://www.jenkins.io/doc/book/pipeline/jenkinsfile/
azure-pipelines.yml azure-pipelines.yaml .azure-pipelines .azuredevops | Azure Pipelines | https://learn.microsoft.com/en-us/azure/devops/pipelines/yaml-schema/
bitbucket-pipelines.yml | Bitbucket Pipelines | https://support.atlassian.com/bitbucket-cloud/docs/bitbucket-pipelines-configuration-reference/
appveyor.yml .appveyor.yml | AppVeyor | https://www.appveyor.com/docs/appveyor-yml/
cloudbuild.yaml cloudbuild.yml cloudbuild.json | Google Cloud Build | https://cloud.google.com/build/docs/build-config-file-schema
buildspec.yml buildspec.yaml | AWS CodeBuild | https://docs.aws.amazon.com/codebuild/latest/userguide/build-spec-ref.html
.semaphore | Semaphore | https://docs.semaphore.io/reference/pipeline-yaml
.builds .build.yml | SourceHut | https://man.sr.ht/builds.sr.ht/
.pipelines .eas/workflows .depot/workflows .cds .rwx .mint .gruntwork .spacelift .cirun.yml .pipeline-config.yaml atlantis.yaml atlantis.yml | Azure OneBranch, EAS, Depot, CDS, RWX, Gruntwork, Spacelift, Cirun, IBM Cloud, Atlantis | https://docs.expo.dev/eas/workflows/syntax/
+release.config.js +release.config.cjs +release.config.mjs +release.config.ts +.releaserc* +.goreleaser.yml +.goreleaser.yaml +dangerfile +dangerfile.js +dangerfile.ts +cliff.toml | semantic-release, GoReleaser, Danger, git-cliff: code and commands that a build server runs after a push | https://semantic-release.gitbook.io/semantic-release/usage/configuration
.teamcity .tekton .harness .zuul.yaml .zuul.d zuul.yaml zuul.d .prow.yaml .prow | TeamCity, Tekton, Harness, Zuul, Prow | https://www.jetbrains.com/help/teamcity/kotlin-dsl.html
codemagic.yaml bitrise.yml wercker.yml screwdriver.yaml .packit.yaml .packit.yml | Codemagic, Bitrise, Wercker, Screwdriver, Packit | https://docs.codemagic.io/yaml-basic-configuration/yaml-getting-started/
netlify.toml vercel.json amplify.yml render.yaml heroku.yml .ebextensions .platform .platform.app.yaml .upsun railway.json railway.toml nixpacks.toml .do appspec.yml .openshift .s2i .deployment .cpanel.yml pantheon.yml .lagoon.yml .buildpacks | Netlify, Vercel, Amplify, Render, Heroku, Elastic Beanstalk, Platform.sh: commands of a build after a push | https://docs.netlify.com/build/configure-builds/file-based-configuration/
bamboo-specs .gocd.yaml .evergreen.yml .crow garnix.yaml .buddy .concourse.yml .onedev-buildspec.yml .space.kts .vela.yml codefresh.yml .codefresh buddy.yml ci_scripts .copr .obs .ci-operator.yaml .scrutinizer.yml shippable.yml codeship-steps.yml | Bamboo, GoCD, Evergreen, Crow, Garnix, Buddy, Concourse, Scrutinizer, Shippable, CodeShip | https://confluence.atlassian.com/bamboo/bamboo-specs-894743906.html
.readthedocs.yaml .readthedocs.yml | Read the Docs | https://docs.readthedocs.com/platform/stable/config-file/v2.html
`,
};

/** Every protected place. The gate, the edit tools, the check after a turn and the sandbox use these rows. */
export const PROTECTED_PLACES: readonly PlaceRow[] = Object.entries(TABLES).flatMap(([place, table]) =>
  table
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [patterns = '', why = '', source = ''] = line.split(' | ');
      return patterns.split(' ').map((word) => ({
        pattern: word.replace(/^[!+]/, ''),
        place: place as ProtectedPlace,
        why,
        source,
        isHeld: word.startsWith('!'),
        isNewOnly: word.startsWith('+'),
      }));
    }),
);
