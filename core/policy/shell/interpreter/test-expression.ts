import type { TestExpression } from 'unbash';
import { expandText } from '../expansion/expand.ts';
import { expandHiddenInExpression, expandHidden } from '../expansion/hidden-substitution.ts';
import type { ExpansionContext } from './interpreter.ts';

/** Expands the words of `[[ … ]]`: a substitution in them runs. */
export function expandTest(expression: TestExpression, context: ExpansionContext): void {
  context.step();
  switch (expression.type) {
    case 'TestUnary':
      expandHidden(expandText(expression.operand, context), context);
      break;
    case 'TestBinary':
      expandHiddenInExpression(expandText(expression.left, context), context);
      expandHiddenInExpression(expandText(expression.right, context), context);
      break;
    case 'TestLogical':
      for (const operand of expression.operands) expandTest(operand, context);
      break;
    case 'TestNot':
      expandTest(expression.operand, context);
      break;
    case 'TestGroup':
      expandTest(expression.expression, context);
      break;
  }
}
