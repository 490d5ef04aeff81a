export interface FailedTest {
  name: string;
  message: string;
}

export interface TestCounts {
  passed: number;
  failed: number;
  skipped: number;
}
