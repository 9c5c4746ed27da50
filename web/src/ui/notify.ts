/** Tells of turns that ended or wait: to ears when the session is shown, by a notification when it is not. */
import { titleOf } from '../model/list';
import { find } from '../state/catalog';
import { prefs, setPref } from '../state/prefs';
import { announce } from '../state/screen';
import type { OpenSession } from '../state/session';
import { open } from '../state/tabs';
import { toast } from '../state/toasts';

type News = 'done' | 'needs-you' | 'error';

const TEXTS: Record<News, string> = { done: 'The turn is done', 'needs-you': 'Waits for your answer', error: 'The turn failed' };

export function notifyOf(session: OpenSession, news: News, isShown: boolean): void {
  const isLookedAt = isShown && document.visibilityState === 'visible' && document.hasFocus();
  if (isShown) announce(TEXTS[news]);
  if (isLookedAt) return;
  if (prefs.sound) beep(news);
  if (!prefs.notify || !('Notification' in window) || Notification.permission !== 'granted') return;
  const summary = find(session.id);
  const note = new Notification(summary ? titleOf(summary) : 'Liminal Builder', { body: TEXTS[news], tag: session.id });
  note.onclick = () => {
    focus();
    open(session.id);
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

function beep(news: News): void {
  const audio = new AudioContext();
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  tone.frequency.value = news === 'error' ? 220 : news === 'needs-you' ? 660 : 520;
  volume.gain.setValueAtTime(0.06, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.0001, audio.currentTime + 0.35);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.36);
  tone.onended = () => void audio.close();
}
