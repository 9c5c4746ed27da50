/** How figures are summed up and printed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function print(what: string, figure: string, aim: string): void {
  console.log(`\n${what.padEnd(44)} ${figure.padEnd(40)} aim ${aim}`);
}

export function milliseconds(values: readonly number[]): string {
  return `median ${quantile(values, 0.5).toFixed(0)} ms, p95 ${quantile(values, 0.95).toFixed(0)} ms, of ${values.length}`;
}
