// Fault: limit count 11
class LimitError extends Error {
  name = 'LimitError';
}
function limit(count) {
  if (count > 10) throw new LimitError('Too many');
  return count;
}
[1, 11].forEach((count) => limit(count));
