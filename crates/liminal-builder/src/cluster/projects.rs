//! Directories that servers have in common. Owns that one directory is one project everywhere: servers on one machine,
//! or with one file system, see the same path.

use std::path::{Path, PathBuf};

use liminal_core::ids::ProjectId;
use redis::{Cmd, pipe};
use serde::{Deserialize, Serialize};

use super::catalogue::PROJECTS;
use super::{Cluster, ClusterError};

/// A project that some server has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedProject {
    /// The project.
    pub id: ProjectId,
    /// Its directory.
    pub path: PathBuf,
    /// What people call it.
    pub name: String,
}

impl Cluster {
    /// The id of a directory's project: the one that another server gave it, or else this one.
    pub async fn share_project(&self, project: &SharedProject) -> Result<ProjectId, ClusterError> {
        let id = self.name_path(&project.path, &project.id).await?;
        let shared = SharedProject { id: id.clone(), ..project.clone() };
        let mut writing = pipe();
        writing.hset(self.0.keys.projects(), id.as_str(), serde_json::to_string(&shared)?).ignore();
        writing.publish(self.0.keys.changes(), PROJECTS).ignore();
        let () = self.0.link.query(&writing).await?;
        Ok(id)
    }

    async fn name_path(&self, path: &Path, id: &ProjectId) -> Result<ProjectId, ClusterError> {
        let (paths, path) = (self.0.keys.paths(), path.to_string_lossy().into_owned());
        let mut naming = pipe();
        naming.hset_nx(&paths, &path, id.as_str()).ignore();
        naming.hget(&paths, &path);
        let (named,): (String,) = self.0.link.query(&naming).await?;
        Ok(ProjectId::from(named))
    }

    /// Every project that some server has.
    pub async fn shared_projects(&self) -> Result<Vec<SharedProject>, ClusterError> {
        let values = Cmd::hvals(self.0.keys.projects());
        let texts: Vec<String> = self.0.link.query(&values).await?;
        Ok(texts.iter().map(|text| serde_json::from_str(text)).collect::<Result<_, _>>()?)
    }

    /// Forgets a project everywhere; whoever still has it tells it again when it starts.
    pub async fn unshare_project(&self, project: &SharedProject) -> Result<(), ClusterError> {
        let mut forgetting = pipe();
        forgetting.hdel(self.0.keys.projects(), project.id.as_str()).ignore();
        forgetting.hdel(self.0.keys.paths(), project.path.to_string_lossy().into_owned()).ignore();
        forgetting.publish(self.0.keys.changes(), PROJECTS).ignore();
        Ok(self.0.link.query(&forgetting).await?)
    }
}
