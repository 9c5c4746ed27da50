/** A file that goes or went with a message: its picture or its kind, its name and its size. */
import { onCleanup, Show, type JSX } from 'solid-js';
import { fileSize, isImage } from '../../model/files';
import { bytesOf, createPicture, type ShownFile } from '../../state/files';
import { VisibleText } from '../rows/VisibleText';
import { Icon } from './Icon';

export function FileChip(props: { file: ShownFile; sessionId: string; note?: string | undefined; children?: JSX.Element }) {
  return (
    <>
      <Show when={isImage(props.file)} fallback={<span class="file-kind"><Icon name="file" /></span>}>
        <Thumbnail file={props.file} sessionId={props.sessionId} />
      </Show>
      <span class="file-words">
        <span class="truncate file-name" title={props.file.name}><VisibleText text={props.file.name} /></span>
        <span class="faint">{fileSize(props.file.bytes)}<Show when={props.note}>{(note) => <> · {note()}</>}</Show></span>
      </span>
      {props.children}
    </>
  );
}

function Thumbnail(props: { file: ShownFile; sessionId: string }) {
  const picture = createPicture(() => bytesOf(props.sessionId, props.file), onCleanup);
  return (
    <Show when={picture()} fallback={<span class="file-kind"><Icon name="image" /></span>}>
      {(address) => <img class="file-picture" src={address()} alt="" data-testid="thumbnail" />}
    </Show>
  );
}
