// Fault: validate input.age -1
function validate(input) {
  if (input.age < 0) throw { code: 'E_AGE', field: 'age' };
  return input;
}
validate({ age: -1 });
