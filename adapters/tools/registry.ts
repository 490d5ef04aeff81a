import type { BuiltinTool } from './builtin-tool.ts';
import { createAgent } from './agents/create-agent.ts';
import { deleteAgent } from './agents/delete-agent.ts';
import { listAgents } from './agents/list-agents.ts';
import { listChildren } from './agents/list-children.ts';
import { messageAgent } from './agents/message-agent.ts';
import { modifyAgent } from './agents/modify-agent.ts';
import { spawnAgent } from './agents/spawn-agent.ts';
import { waitAgents } from './agents/wait-agents.ts';
import { eslintCheck } from './build/eslint-check.ts';
import { npmRun } from './build/npm-run.ts';
import { prettierFormat } from './build/prettier-format.ts';
import { tscCheck } from './build/tsc-check.ts';
import { getContextInfo } from './context/get-context-info.ts';
import { deployTools } from './deploy/targets.ts';
import { applyPatch } from './files/apply-patch.ts';
import { deleteFile } from './files/delete-file.ts';
import { editFile } from './files/edit-file.ts';
import { formatFiles } from './files/format-files.ts';
import { readFile } from './files/read-file.ts';
import { writeFile } from './files/write-file.ts';
import { gitBranch } from './git/git-branch.ts';
import { gitCheckpoint } from './git/git-checkpoint.ts';
import { gitCommit } from './git/git-commit.ts';
import { gitDiff } from './git/git-diff.ts';
import { gitLog } from './git/git-log.ts';
import { gitStatus } from './git/git-status.ts';
import { gitClone } from './install/git-clone.ts';
import { npmInstall } from './install/npm-install.ts';
import { pipInstall } from './install/pip-install.ts';
import { memoryGet } from './memory/memory-get.ts';
import { memoryList } from './memory/memory-list.ts';
import { memorySearch } from './memory/memory-search.ts';
import { memorySet } from './memory/memory-set.ts';
import { recall } from './recall/recall.ts';
import { presentPlan } from './plan/present-plan.ts';
import { runNodeScript } from './script/run-node-script.ts';
import { runPythonScript } from './script/run-python-script.ts';
import { listFiles } from './search/list-files.ts';
import { searchFiles } from './search/search-files.ts';
import { processControl } from './shell/process-control.ts';
import { processOutput } from './shell/process-output.ts';
import { runCommand } from './shell/run-command.ts';
import { runTests } from './test/run-tests.ts';
import { useSkill } from './skills/use-skill.ts';
import { generateInfrastructure } from './terraform/generate-infrastructure.ts';
import { terraformApply } from './terraform/terraform-apply.ts';
import { terraformDestroy } from './terraform/terraform-destroy.ts';
import { terraformInit } from './terraform/terraform-init.ts';
import { terraformOutput } from './terraform/terraform-output.ts';
import { terraformPlan } from './terraform/terraform-plan.ts';
import { todoWrite } from './todo/todo-write.ts';
import { webFetch } from './web/web-fetch.ts';
import { webSearch } from './web/web-search.ts';

/** All built-in tools. Their order is part of the prefix of each request: append new ones. */
export const builtinTools: readonly BuiltinTool[] = [
  readFile,
  writeFile,
  editFile,
  applyPatch,
  deleteFile,
  listFiles,
  searchFiles,
  runCommand,
  runTests,
  gitStatus,
  gitDiff,
  gitLog,
  gitCheckpoint,
  npmRun,
  tscCheck,
  eslintCheck,
  prettierFormat,
  runNodeScript,
  runPythonScript,
  gitCommit,
  gitBranch,
  memoryGet,
  memorySet,
  memoryList,
  memorySearch,
  recall,
  processOutput,
  processControl,
  createAgent,
  modifyAgent,
  deleteAgent,
  listAgents,
  getContextInfo,
  spawnAgent,
  messageAgent,
  waitAgents,
  listChildren,
  todoWrite,
  presentPlan,
  useSkill,
  npmInstall,
  pipInstall,
  ...deployTools,
  terraformInit,
  terraformPlan,
  terraformApply,
  terraformDestroy,
  terraformOutput,
  gitClone,
  generateInfrastructure,
  webFetch,
  webSearch,
  formatFiles,
];
