import type { TestExpression } from 'unbash';
import { expandText } from './expand.ts';
import type { Machine } from './machine.ts';

/** Expands the words of `[[ … ]]`: a substitution in them runs. */
export function walkTest(expression: TestExpression, machine: Machine): void {
  machine.step();
  switch (expression.type) {
    case 'TestUnary':
      expandText(expression.operand, machine);
      break;
    case 'TestBinary':
      expandText(expression.left, machine);
      expandText(expression.right, machine);
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
