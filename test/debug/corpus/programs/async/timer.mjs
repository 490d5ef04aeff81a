// Fault: tick job undefined
const jobs = [{ run: () => 1 }];
function tick(index) {
  const job = jobs[index];
  job.run();
}
tick(0);
setTimeout(() => tick(1), 1);
