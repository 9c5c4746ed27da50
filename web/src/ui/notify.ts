/** Tells those who look elsewhere of turns that ended, failed or wait. Knows sessions as the lists do, open or not. */
import { createEffect } from 'solid-js';
import type { SessionSummary } from '../gen/contracts';
import { titleOf } from '../model/list';
import { NEWS_TEXT, type News, newsOf } from '../model/news';
import type { Glyph } from '../model/status';
import { glyph, listed } from '../state/catalog';
import { prefs, setPref } from '../state/prefs';
import { active, open } from '../state/tabs';
import { toast } from '../state/toasts';

/** Watches the lists. */
export function followNews(): void {
  let before = new Map<string, Glyph>();
  createEffect(() => {
    const now = new Map(listed().map((session) => [session.sessionId, glyph(session)]));
    for (const session of listed()) {
      const news = newsOf(before.get(session.sessionId), now.get(session.sessionId) ?? 'idle');
      if (news) tell(session, news);
    }
    before = now;
  });
}

function tell(session: SessionSummary, news: News): void {
  if (active() === session.sessionId && document.visibilityState === 'visible' && document.hasFocus()) return;
  if (prefs.sound) beep(news);
  if (!prefs.notify || !('Notification' in window) || Notification.permission !== 'granted') return;
  const note = new Notification(titleOf(session), { body: NEWS_TEXT[news], tag: session.sessionId });
  note.onclick = () => {
    focus();
    open(session.sessionId);
    note.close();
  };
}

/** Asks the browser; what it says is told. */
export async function setNotify(wanted: boolean): Promise<void> {
  if (!wanted) return setPref('notify', false);
  if (!('Notification' in window)) return void toast({ kind: 'error', title: 'This browser has no notifications' });
  const answer = await Notification.requestPermission();
  setPref('notify', answer === 'granted');
  if (answer !== 'granted') toast({ kind: 'error', title: 'The browser does not allow notifications', detail: 'Allow them for this address in its settings.' });
}

const TONES: Record<News, number> = { done: 520, continues: 520, 'background-over': 520, 'needs-you': 660, error: 220 };

function beep(news: News): void {
  const audio = new AudioContext();
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  tone.frequency.value = TONES[news];
  volume.gain.setValueAtTime(0.06, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.0001, audio.currentTime + 0.35);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.36);
  tone.onended = () => void audio.close();
}
