import type { TestExpression } from 'unbash';
import { expandText } from '../expansion/expand.ts';
import { walkExpression, walkHidden } from '../expansion/hidden-substitution.ts';
import type { ExpansionContext } from './interpreter.ts';

/** Expands the words of `[[ … ]]`: a substitution in them runs. */
export function walkTest(expression: TestExpression, machine: ExpansionContext): void {
  machine.step();
  switch (expression.type) {
    case 'TestUnary':
      walkHidden(expandText(expression.operand, machine), machine);
      break;
    case 'TestBinary':
      walkExpression(expandText(expression.left, machine), machine);
      walkExpression(expandText(expression.right, machine), machine);
      break;
    case 'TestLogical':
      for (const operand of expression.operands) walkTest(operand, machine);
      break;
    case 'TestNot':
      walkTest(expression.operand, machine);
      break;
    case 'TestGroup':
      walkTest(expression.expression, machine);
      break;
  }
}
