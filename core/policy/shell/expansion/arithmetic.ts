import type { ArithmeticExpression } from 'unbash';
import { expandHiddenInExpression } from './hidden-substitution.ts';
import type { ExpansionContext } from '../interpreter/interpreter.ts';
import { isKnown, UNKNOWN } from './word.ts';

/** The value of an arithmetic expression; undefined if it depends on something unknown. Performs its assignments. */
export function evaluateArithmetic(
  expression: ArithmeticExpression | undefined,
  context: ExpansionContext,
  readWord: (word: ArithmeticExpression & { type: 'ArithmeticWord' }) => string,
): number | undefined {
  if (!expression) return undefined;
  context.step();
  const value = (inner: ArithmeticExpression) => evaluateArithmetic(inner, context, readWord);
  switch (expression.type) {
    case 'ArithmeticGroup':
      return value(expression.expression);
    case 'ArithmeticWord':
      return toNumber(readWord(expression), context);
    case 'ArithmeticCommandExpansion':
      return expression.script && toNumber(context.substitute(expression.script, '$(…)'), context);
    case 'ArithmeticTernary': {
      const test = value(expression.test);
      const both = [value(expression.consequent), value(expression.alternate)];
      return test === undefined ? undefined : both[test ? 0 : 1];
    }
    case 'ArithmeticUnary': {
      const operand = value(expression.operand);
      if (expression.operator === '++' || expression.operator === '--') {
        const after = operand === undefined ? undefined : operand + (expression.operator === '++' ? 1 : -1);
        assign(expression.operand, after, context);
        return expression.prefix ? after : operand;
      }
      if (operand === undefined) return undefined;
      if (expression.operator === '-') return -operand;
      if (expression.operator === '!') return operand ? 0 : 1;
      return expression.operator === '~' ? ~operand : operand;
    }
    case 'ArithmeticBinary': {
      const right = value(expression.right);
      if (/^(?:[-+*/%&|^]|<<|>>)?=$/.test(expression.operator)) {
        // Also of an assignment: the subscript of its target can run commands.
        const left = value(expression.left);
        const before = expression.operator === '=' ? 0 : left;
        const result = expression.operator === '=' ? right : combine(expression.operator.slice(0, -1), before, right);
        assign(expression.left, result, context);
        return result;
      }
      return combine(expression.operator, value(expression.left), right);
    }
  }
}

function assign(target: ArithmeticExpression, value: number | undefined, context: ExpansionContext): void {
  if (target.type !== 'ArithmeticWord' || !/^\w+$/.test(target.value)) return;
  context.scope.variables.set(target.value, value === undefined ? UNKNOWN : String(value));
}

function toNumber(text: string, context: ExpansionContext): number | undefined {
  const word = text.trim();
  if (word === '') return 0;
  if (!isKnown(word)) return undefined;
  if (/^[+-]?(?:0|[1-9]\d*)$/.test(word)) return Number(word);
  // Numbers with a base, such as `0x1f` or `2#101`, are not evaluated.
  if (/^[+-]?\d/.test(word)) return undefined;
  const variable = context.scope.variables.get(word.replace(/^\$\{?(\w+)\}?$/, '$1'));
  if (typeof variable !== 'string' || !/^-?(?:0|[1-9]\d*)$/.test(variable)) {
    // The value of a variable is an expression too.
    expandHiddenInExpression(typeof variable === 'string' ? variable : word, context);
    return undefined;
  }
  return Number(variable);
}

function combine(operator: string, left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined || right === undefined) return undefined;
  const compute = BINARY[operator];
  const result = compute?.(left, right);
  return result !== undefined && Number.isFinite(result) ? result : undefined;
}

const BINARY: Record<string, (a: number, b: number) => number> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => Math.trunc(a / b),
  '%': (a, b) => a % b,
  '**': (a, b) => a ** b,
  '<<': (a, b) => a << b,
  '>>': (a, b) => a >> b,
  '&': (a, b) => a & b,
  '|': (a, b) => a | b,
  '^': (a, b) => a ^ b,
  '<': (a, b) => Number(a < b),
  '>': (a, b) => Number(a > b),
  '<=': (a, b) => Number(a <= b),
  '>=': (a, b) => Number(a >= b),
  '==': (a, b) => Number(a === b),
  '!=': (a, b) => Number(a !== b),
  '&&': (a, b) => Number(a !== 0 && b !== 0),
  '||': (a, b) => Number(a !== 0 || b !== 0),
  ',': (_a, b) => b,
};
