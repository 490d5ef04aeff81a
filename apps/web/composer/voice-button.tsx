import { Mic, MicOff } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { preferences } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { showToast } from '../state/toasts.ts';
import { useText } from '../text/text.ts';
import { IconButton } from '../ui/button.tsx';
import { toRecognition, type Recognition } from './can-listen.ts';

interface Results extends Event {
  resultIndex: number;
  results: ArrayLike<ArrayLike<{ transcript: string }> & { isFinal: boolean }>;
}

/** Dictates into the message, by the recognition of the browser. */
export function VoiceButton({ onSpoken }: { onSpoken: (words: string) => void }) {
  const t = useText();
  const { language } = useStore(preferences);
  const [isOn, setOn] = useState(false);
  const recognition = useRef<Recognition | undefined>(undefined);
  useEffect(() => () => recognition.current?.abort(), []);
  const start = () => {
    const made = new (toRecognition()!)();
    made.lang = language === 'de' ? 'de-DE' : 'en-US';
    made.continuous = true;
    made.addEventListener('result', (event) => {
      const { results, resultIndex } = event as Results;
      for (const result of Array.from(results).slice(resultIndex)) {
        const words = result[0]?.transcript.trim() ?? '';
        if (result.isFinal && words !== '') onSpoken(words);
      }
    });
    made.addEventListener('error', (event) => {
      const { error } = event as Event & { error?: string };
      if (error !== 'aborted' && error !== 'no-speech')
        showToast({ kind: 'error', text: t.lists.voiceFailed, detail: error });
    });
    made.addEventListener('end', () => setOn(false));
    recognition.current = made;
    made.start();
    setOn(true);
  };
  return (
    <IconButton
      label={isOn ? t.lists.voiceStop : t.lists.voice}
      icon={isOn ? MicOff : Mic}
      iconSize={16}
      aria-pressed={isOn}
      onClick={() => (isOn ? recognition.current?.stop() : start())}
    />
  );
}
