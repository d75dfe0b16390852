//! Which GPUs of the machine this process sees, and under which ordinals: what `CUDA_VISIBLE_DEVICES` does on hardware.

use super::{ConfigError, Defect, MachineConfig, PeerLink, Peers};

impl MachineConfig {
    /// Sets which GPUs of the machine this process sees: the first of them is its device 0, and so on. Peers and defects are told
    /// in the numbers of the machine. All, in order, unless set.
    #[must_use]
    pub fn visible(mut self, gpus: impl Into<Vec<usize>>) -> Self {
        self.visible = Some(gpus.into());
        self
    }

    /// The machine's numbers of the GPUs that this process sees, by ordinal.
    pub(crate) fn gpus(&self) -> Vec<usize> {
        self.visible.clone().unwrap_or_else(|| (0..self.devices).collect())
    }

    /// The machine as this process sees it: with its ordinals in place of the machine's numbers, and without what it does not see.
    pub(crate) fn as_seen(&self) -> MachineConfig {
        let gpus = self.gpus();
        let ordinal = |gpu: usize| gpus.iter().position(|&visible| visible == gpu);
        let peers = match &self.peers {
            Peers::All => Peers::All,
            Peers::None => Peers::None,
            Peers::Islands(_) | Peers::Links(_) => {
                let pairs = (0..gpus.len()).flat_map(|a| (0..gpus.len()).map(move |o| (a, o)));
                let reachable = pairs.filter(|&(a, o)| self.can_access(gpus[a], gpus[o]));
                Peers::Links(
                    reachable.map(|(accessor, owner)| PeerLink::OneWay { accessor, owner }).collect(),
                )
            }
        };
        let defects = self.defects.iter().filter_map(|defect| seen(defect, ordinal)).collect();
        MachineConfig { devices: gpus.len(), peers, defects, visible: None, ..self.clone() }
    }
}

/// A defect in the ordinals of this process; `None` if it is of a GPU that it does not see.
fn seen(defect: &Defect, ordinal: impl Fn(usize) -> Option<usize>) -> Option<Defect> {
    let mut defect = defect.clone();
    match &mut defect {
        Defect::DroppedWrites { accessor, owner, .. }
        | Defect::PrivateMirror { accessor, owner, .. }
        | Defect::BitFlips { accessor, owner, .. }
        | Defect::Hang { accessor, owner, .. }
        | Defect::EnableFails { accessor, owner, .. } => {
            *accessor = ordinal(*accessor)?;
            *owner = ordinal(*owner)?;
        }
        Defect::Reset { device, .. } | Defect::Lost { device, .. } => *device = ordinal(*device)?,
        Defect::CallFails { .. } => {}
    }
    Some(defect)
}

/// Checks that what is visible is there, once.
pub(super) fn validate(config: &MachineConfig) -> Result<(), ConfigError> {
    let Some(gpus) = &config.visible else { return Ok(()) };
    if gpus.is_empty() {
        return Err(ConfigError::Devices { devices: 0 });
    }
    for (index, &device) in gpus.iter().enumerate() {
        if device >= config.devices {
            return Err(ConfigError::NoSuchDevice { device, devices: config.devices });
        }
        if gpus[..index].contains(&device) {
            return Err(ConfigError::Repeated { word: format!("visible={device}") });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals_stand_in_place_of_the_machines_numbers() {
        let text = "devices=4 peers=0>1,2-3 drop=2>3 lost=1:5 visible=3,2,0";
        let config: MachineConfig = text.parse().expect(text);
        assert_eq!(config.to_string(), text);
        assert_eq!(config.device_count(), 3);
        assert_eq!(config.as_seen().to_string(), "devices=3 peers=0>1,1>0 drop=1>0");
        assert_eq!(config.gpus(), [3, 2, 0]);
    }

    #[test]
    fn what_is_not_there_is_not_visible() {
        for (text, part) in [
            ("visible=2", "device 2"),
            ("visible=0,0", "`visible=0`"),
            ("visible=", "`visible=`"),
            ("visible=0,x", "`visible=0,x`"),
        ] {
            let error = text.parse::<MachineConfig>().expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
