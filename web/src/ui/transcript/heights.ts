/** How tall rows are and where each begins. Owns numbers only: no elements, no scrolling. */
export class Heights {
  private keys: readonly string[] = [];
  private indices = new Map<string, number>();
  private readonly known = new Map<string, number>();
  /** `tops[i]` is where row `i` begins; right up to `valid`. */
  private tops: Float64Array = new Float64Array(1);
  private valid = 0;

  constructor(private readonly estimate: (key: string) => number) {}

  setKeys(keys: readonly string[]): void {
    if (keys === this.keys) return;
    let same = 0;
    while (same < keys.length && keys[same] === this.keys[same]) same += 1;
    // Rows are mostly added at the end: what stands before them is kept.
    for (const key of this.keys.slice(same)) this.indices.delete(key);
    for (let index = same; index < keys.length; index += 1) this.indices.set(keys[index] as string, index);
    this.keys = keys;
    this.valid = Math.min(this.valid, same);
    if (this.tops.length < keys.length + 1) {
      const larger = new Float64Array(Math.ceil((keys.length + 1) * 1.5));
      larger.set(this.tops);
      this.tops = larger;
    }
  }

  get count(): number {
    return this.keys.length;
  }

  indexOf(key: string): number | undefined {
    return this.indices.get(key);
  }

  keyAt(index: number): string | undefined {
    return this.keys[index];
  }

  /** Keeps what was measured; says whether it is news. */
  set(key: string, height: number): boolean {
    const index = this.indices.get(key);
    if (index === undefined || Math.abs((this.known.get(key) ?? -1) - height) < 0.1) return false;
    this.known.set(key, height);
    this.valid = Math.min(this.valid, index);
    return true;
  }

  topOf(index: number): number {
    const wanted = Math.min(index, this.keys.length);
    while (this.valid < wanted) {
      const key = this.keys[this.valid] as string;
      this.tops[this.valid + 1] = (this.tops[this.valid] as number) + (this.known.get(key) ?? this.estimate(key));
      this.valid += 1;
    }
    return this.tops[wanted] as number;
  }

  get total(): number {
    return this.topOf(this.keys.length);
  }

  /** The row at this place; the first or the last one beyond the ends. */
  indexAt(top: number): number {
    let low = 0;
    let high = Math.max(0, this.keys.length - 1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.topOf(middle) <= top) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
