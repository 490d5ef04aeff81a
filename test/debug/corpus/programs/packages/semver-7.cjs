// Fault: next version null
// inc returns null for what is no version.
const semver = require('semver');
function next(tag) {
  const version = semver.inc(tag, 'patch');
  return version.split('.').map(Number);
}
next('1.2.3');
next('release-1');
