import { statSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Bytes. A smaller file of the project `system` only declares tests whose many cases are in other files. */
const DECLARATION = 2_000;

/**
 * Starts the files that take long first, so that none of them runs alone at the end. Vitest knows no durations in a new clone,
 * and takes the size of a file for its duration, which is wrong for files that only declare a suite.
 */
export class Sequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isDeclaration = ({ moduleId, project }: TestSpecification): boolean =>
      project.name === 'system' && statSync(moduleId).size < DECLARATION;
    return [...sorted.filter(isDeclaration), ...sorted.filter((file) => !isDeclaration(file))];
  }
}
