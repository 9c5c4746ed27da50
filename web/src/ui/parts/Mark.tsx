/** The product's sign: a door ajar. */
export function Mark(props: { class?: string }) {
  return (
    <svg class={`mark ${props.class ?? ''}`} viewBox="0 0 40 44" aria-hidden="true">
      <path d="M8 36V4h24v32M8 4l14 6v30L8 36M3 36h5M32 36h5" />
    </svg>
  );
}
