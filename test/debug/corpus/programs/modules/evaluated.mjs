// Fault: apply rule {
const apply = new Function('rule', 'return rule.when.test("a")');
function run(rule) {
  return apply(rule);
}
run({ name: 'broken' });
