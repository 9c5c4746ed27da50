// Decides whether a press may answer a request. Pure: times come in as arguments, in milliseconds of one clock.

/** How long a dock must stay unchanged and unmoved before it takes an answer. */
export const SETTLE_MS = 700;

/** Where a click came from: a pointer always presses first, assistive technology may click without a press. */
export type ClickSource = 'pointer' | 'other';

type Press = { readonly button: string; readonly meaning: string };

export class Arming {
  /** Unset from a change until it has been painted: nobody has had time to read it. */
  private settledFrom: number | undefined;
  private pressed: Press | 'void' | undefined;
  private meaning = '';

  /** What the buttons stand for. A new meaning also voids a press that has begun. */
  means(meaning: string): void {
    if (meaning === this.meaning) return;
    this.meaning = meaning;
    this.disturbed();
  }

  /** The dock appeared, moved or received the focus. A press that began before keeps its meaning. */
  disturbed(): void {
    this.settledFrom = undefined;
  }

  painted(at: number): void {
    this.settledFrom ??= at;
  }

  isArmed(at: number): boolean {
    return this.settledFrom !== undefined && at - this.settledFrom >= SETTLE_MS;
  }

  press(button: string, at: number): void {
    this.pressed = this.isArmed(at) ? { button, meaning: this.meaning } : 'void';
  }

  /** Whether a click on a button answers. Each press answers once at most. */
  takes(button: string, at: number, source: ClickSource): boolean {
    const pressed = this.pressed;
    this.pressed = undefined;
    if (pressed === undefined) return source === 'other' && this.isArmed(at);
    return pressed !== 'void' && pressed.button === button && pressed.meaning === this.meaning;
  }
}
