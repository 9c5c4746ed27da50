// One line as a terminal writes it: what comes after a carriage return overwrites what was there.

export type Run<S> = { readonly text: string; readonly style: S };

export class TerminalLine<S> {
  private runs: Run<S>[] = [];
  private length = 0;
  private column = 0;

  write(text: string, style: S): void {
    if (text === '') return;
    const end = this.column + text.length;
    if (this.column === this.length) this.runs.push({ text, style });
    else this.runs = [...this.cut(0, this.column), { text, style }, ...this.cut(end, this.length)];
    this.length = Math.max(this.length, end);
    this.column = end;
  }

  toStart(): void {
    this.column = 0;
  }

  back(): void {
    this.column = Math.max(0, this.column - 1);
  }

  /** What is at and behind the column goes. */
  eraseRest(): void {
    this.runs = this.cut(0, this.column);
    this.length = this.column;
  }

  /** Everything goes; the column begins anew, since what follows is written from the start by whoever does this. */
  eraseAll(): void {
    this.runs = [];
    this.length = this.column = 0;
  }

  take(): readonly Run<S>[] {
    return this.runs;
  }

  private cut(from: number, to: number): Run<S>[] {
    const out: Run<S>[] = [];
    let at = 0;
    for (const { text, style } of this.runs) {
      const part = text.slice(Math.max(0, from - at), Math.max(0, to - at));
      if (part !== '') out.push({ text: part, style });
      at += text.length;
    }
    return out;
  }
}
